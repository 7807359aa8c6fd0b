#ifndef HARNESS_BASE_XML_H
#define HARNESS_BASE_XML_H

/* Escapes text for XML and HTML, in the content of an element and in the value of an attribute. */

#include <stdio.h>

/* Writes the text, valid UTF-8, with `instead` in place of each character that XML cannot represent: control
 * characters, U+FFFE and U+FFFF. */
void xml_text(FILE *out, const char *text, const char *instead);

#endif
