#ifndef HARNESS_BASE_XML_H
#define HARNESS_BASE_XML_H

/* XML and HTML with escaped text, in the content of an element and in the value of an attribute. */

#include "harness/base/text.h"

/* Appends markup as printf formats it: each %s is an escaped text, %u a number, %f is rounded to tenths; no other
 * conversions. Texts are clean (text_clean): they have none of the characters that XML cannot represent. */
void xml_append(struct string_builder *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends a path as part of an address: all but letters, digits, '/', '.', '_' and '-' as %XX. */
void xml_address(struct string_builder *to, const char *path);

#endif
