#ifdef PACL_MAIN

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANK " \t\r\n\v\f"

/* The next line that is not empty, as an interval in ms; 0 at the end. */
static int next_interval(double *rr_ms)
{
    static long number = 0;
    char line[256];
    while (fgets(line, (int)sizeof line, stdin)) {
        char *end;
        *rr_ms = strtod(line, &end);
        const int whole = strchr(line, '\n') != NULL || feof(stdin); /* the line fits */
        const int alone = end[strspn(end, BLANK)] == '\0';           /* nothing follows */
        number++;
        if (whole && alone && end == line) {
            continue; /* an empty line */
        }
        if (whole && alone && *rr_ms >= 0.0 && *rr_ms <= (double)LONGEST_MS) {
            return 1;
        }
        fprintf(stderr, "line %ld: give an interval in ms, from 0 to a day\n", number);
        exit(1);
    }
    return 0;
}

#endif /* PACL_MAIN */
