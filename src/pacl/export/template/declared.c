/* @about */

#ifndef PACL_AF_DECLARED
#define PACL_AF_DECLARED

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* @sizes */

#ifdef __cplusplus
extern "C" {
#endif

/* Working memory for one window. It needs no beginning and keeps nothing. */
typedef struct {
    float beats[PACL_AF_BEATS];   /* as the first layers see them */
    float recent[PACL_AF_RECENT]; /* columns of the layers that the next ones still look at */
    float column[PACL_AF_COLUMN]; /* all branches at one moment; in the end, z */
    float mixed[PACL_AF_MIXED];
    float pooled[PACL_AF_MIXED];
    int32_t made[PACL_AF_BRANCHES][PACL_AF_DEPTH]; /* columns that each layer has made */
} pacl_af_work;

/* One person's beats as they come in: all there is to keep between two of them. */
typedef struct {
    pacl_af_work work;
    float beats[PACL_AF_BEATS];       /* the last plausible ones, in a ring */
    uint16_t left_out[PACL_AF_BEATS]; /* implausible ones that came right before each of them */
    uint16_t leaving_out;             /* implausible ones since the last plausible one */
    int32_t at;                       /* where in the ring the next one goes */
    int32_t due;                      /* plausible ones until the next decision */
    float log_odds;                   /* of AF; 0 while nothing is known */
} pacl_af_stream;

/* Begin, or begin anew. */
void pacl_af_init(pacl_af_stream *stream);

/* Take one interval. 1: *probability now says how likely AF is. 0: nothing to say yet.
   -1: not an interval, which changes nothing: not a number, negative, or more than a day. */
int pacl_af_push(pacl_af_stream *stream, float rr_ms, float *probability);

/* Logarithm of the odds of AF of one window of finite intervals, by itself. */
float pacl_af_logit(pacl_af_work *work, const float rr_ms[PACL_AF_BEATS]);

#ifdef __cplusplus
}
#endif

#endif /* PACL_AF_DECLARED */
