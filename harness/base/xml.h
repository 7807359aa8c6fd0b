#ifndef HARNESS_BASE_XML_H
#define HARNESS_BASE_XML_H

/* Text as XML and HTML write it, in the content of an element and in the value of an attribute. */

#include <stdio.h>

/* Puts the text out, valid UTF-8, with `instead` in place of each character that XML has no way at all to say: control
 * characters, U+FFFE and U+FFFF. */
void xml_text(FILE *out, const char *text, const char *instead);

#endif
