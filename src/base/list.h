/* Lists as users write them: members with a comma between them. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stddef.h>

/* Reads the member at *TEXT into INTO, and moves *TEXT behind it.  Returns 0 or
 * a negative errno. */
typedef int list_reader(const char **text, void *into);

/* Give each member of TEXT to READ with INTO.  An empty text has one empty
 * member.  Returns 0, -EINVAL when something else than a comma follows a
 * member, or what READ returned. */
int list_read(const char *text, list_reader *read, void *into);

/* Append WORD to LIST, text in SIZE bytes whose members have ", " between them,
 * unless it is empty or there already.  What does not fit is cut off. */
void list_add(char *list, size_t size, const char *word);

#endif
