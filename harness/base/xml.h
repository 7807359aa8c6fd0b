#ifndef HARNESS_BASE_XML_H
#define HARNESS_BASE_XML_H

/* Writes XML and HTML with escaped text, in the content of an element and in the value of an attribute. */

#include <stdio.h>

/* Writes a clean text (text_clean), which has none of the characters that XML cannot represent. */
void xml_text(FILE *out, const char *text);

/* Writes a path as part of an address: all but letters, digits, '/', '.', '_' and '-' as %XX. */
void xml_address(FILE *out, const char *path);

/* printf for markup: each %s is an escaped text, %u a number, %f is rounded to tenths; no other conversions. */
void xml_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
