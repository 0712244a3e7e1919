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

/* Beats that are not decided yet, and the run of AF that may go on. */
typedef struct {
    double run_sum;                       /* log odds of the run up to its last positive beat */
    double since_sum;                     /* and of the beats after that one */
    int32_t run_beats, since;             /* how many they are */
    int32_t waiting, at;                  /* beats in the rings, and where the next one goes */
    float log_odds[PACL_AF_LAG + 1];      /* in a ring */
    uint8_t in_ended_run[PACL_AF_LAG + 1]; /* in one that counts */
} pacl_af_decoder;

/* One person's beats as they come in: all there is to keep between two of them. */
typedef struct {
    pacl_af_decoder decoder;
    float log_rr[PACL_AF_MEAN];      /* logarithms of the last intervals, in a ring */
    float inputs[PACL_AF_FIRST];     /* what the first layer saw of the last beats, in a ring */
    float exact[PACL_AF_EXACT];      /* columns that the blocks still look at, in rings */
    int8_t rounded[PACL_AF_ROUNDED]; /* those of blocks that keep a byte for each number */
    float column[PACL_AF_CHANNELS];  /* working memory: the newest column, */
    float wide[PACL_AF_CHANNELS];    /* what a convolution makes of it, */
    float older[PACL_AF_CHANNELS];   /* and one that was kept */
    int32_t at[PACL_AF_BLOCKS];      /* where in the ring of a block the next column goes */
    int32_t log_rr_at, inputs_at;
    int32_t heard;                   /* beats since the last gap; counted up to a bound */
    float logit;                     /* of the beat PACL_AF_AHEAD beats ago */
} pacl_af_stream;

/* Begin, or begin anew: there is nothing before the next beat. */
void pacl_af_init(pacl_af_stream *stream);

/* Take one interval. 1: the beat PACL_AF_DELAY intervals ago is decided; *probability says how
   likely AF is, *af is 1 if it is in AF. 0: no beat is decided yet; after an interval of more than
   10 s, which is a gap, the stream has begun anew.
   -1: not an interval, which changes nothing: not a number, negative, or more than a day. */
int pacl_af_push(pacl_af_stream *stream, float rr_ms, float *probability, int *af);

#ifdef __cplusplus
}
#endif

#endif /* PACL_AF_DECLARED */
