/* The search for mistakes among samples, in plain C.
 *
 * A sample x with label y is a mistake of the weights w when its canonical score, the sum
 * ((w0 x0 + w1 x1) + w2 x2) + ... from the left, is not positive times y. Sums in an order that
 * suits the processor come first and only ever skip samples that are right beyond all rounding;
 * the canonical score decides the others. So what is found does not depend on the processor. */

#ifndef PERCEPTRON_NOTES_MISTAKES_H
#define PERCEPTRON_NOTES_MISTAKES_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0)
#error "sums must be rounded to double as they are written; the package works without this module"
#endif

#if defined(_MSC_VER)
#define INLINE static __forceinline
#else
#define INLINE static inline __attribute__((always_inline))
#endif

/* Rows rounded to whole numbers of two bytes, which is a quarter of what is read otherwise. */
typedef struct {
    int16_t *rows; /* each `width` long: a row of X times its label, in units of reach / STEPS, and
                      zeros; or NULL */
    int width;
    int64_t known; /* how many are rounded by now */
    void *lock;    /* held by who rounds more of them */
} Rounded;

typedef struct Loops Loops;

typedef struct {
    const double *X; /* n rows of m numbers */
    const int64_t *y;
    int64_t n;
    int m;
    double reach; /* no number in X is larger */
    Rounded *rounded;
    const Loops *loops;
} Samples;

#define STEPS 32767

/* Weights, and the bounds beyond which a rough margin has the sign of the canonical one. */
typedef struct {
    const double *w;
    double near;
    const float *v; /* w times the unit of rounded rows, and zeros, `width` numbers; or NULL */
    float near_v;
    int64_t known; /* rows that are surely rounded */
} Weights;

INLINE double canonical_score(const double *w, const double *x, int m) {
    double s = w[0] * x[0];
    for (int j = 1; j < m; j++) s = s + w[j] * x[j];
    return s;
}

/* What is not a number decides nothing, so it is a mistake as well. */
INLINE int is_mistake(const Samples *data, int64_t i, const double *w) {
    return !((double)data->y[i] * canonical_score(w, data->X + i * data->m, data->m) > 0);
}

/* ------------------------------------------------------------------------------- bounds */

/* At least the sum of |w_j x_j| for every sample, but for rounding. */
INLINE double size_of(const double *w, int m, double reach) {
    double size = 0;
    for (int j = 0; j < m; j++) size += fabs(w[j]);
    return size * reach;
}

/* Two sums of the same m products differ by at most 2 m u / (1 - m u) times their size, where
 * u = 2^-53 (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, section 3.1).
 * The small term covers underflow. Where sums may overflow nothing is skipped. */
INLINE double nearness(double size, int m) {
    return size < 1e300 ? (m + 2) * 0x1p-52 * size + 1e-300 : INFINITY;
}

/* The same for products and sums of numbers rounded to float, which adds 2 u to m u, where
 * u = 2^-24. The small term covers underflow as long as `half_precision_holds`. */
INLINE float nearness_of_floats(double size, int m) {
    return (float)(1.001 * (m + 4) * (0x1p-24 * size + 1e-29));
}

/* The same where each number of X was rounded to a whole number of units: it is half a unit away
 * at most, so that the sum is half of size / STEPS away, which is 2^-16 size. */
INLINE float nearness_of_units(double size, int m) {
    return nearness_of_floats(size, m) + (float)(1.001 * 0x1p-16 * size);
}

INLINE int half_precision_holds(double size, int m, double reach) {
    return m <= 8192 && reach > 1e-3 && reach < 1e15 && size < 1e15;
}

INLINE int64_t sample_at(const int64_t *order, int64_t k) {
    /* Read once: another thread may change the order after its entry was checked. */
    return order ? *(const volatile int64_t *)(order + k) : k;
}

/* -------------------------------------------------------------------------------- loops
 *
 * The loops that read all samples, for one kind of processor; see lanes.h. */

#define SHORT 12     /* rows up to this length always have their canonical score */
#define FEW 4        /* short rows that are taken together at first, */
#define BLOCK 64     /* and at most */
#define TOGETHER 8   /* classes that are scored together */
#define HAND 4       /* weights whose mistakes are counted together */
#define AHEAD 16384  /* bytes, from where a row is asked for, since memory is slower than sums */

/* A sheaf of samples times their labels, in half the precision: first all their numbers x_0, then
 * all x_1, and so on, so that a processor scores several at once. */
INLINE int sheaf_of(int m) { return m <= 4 ? 512 : m <= SHORT ? 256 : 64; }

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
#define VECTORS
#define OF(type, bytes) type __attribute__((vector_size(bytes), aligned(sizeof(type)), may_alias))
typedef OF(float, 16) Four;
typedef OF(float, 32) Eight;

/* The sum of each of four vectors of four. */
INLINE Four sums_of(Four a, Four b, Four c, Four d) {
    Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
    Four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}
#endif

struct Loops {
    const char *name;
    int lanes;     /* how many floats are multiplied at once */
    int64_t worth; /* so many numbers or more are worth to be rounded */
    /* Each of these returns the first k from a to b - 1 whose sample is not right beyond doubt; b
     * if all are. With an order, k counts its places, and one that holds no sample is a suspect. */
    int64_t (*suspect)(const Samples *, const int64_t *order, int64_t a, int64_t b, const Weights *);
    int64_t (*suspect_of_short)(const Samples *, int64_t a, int64_t b, const Weights *);
    int64_t (*suspect_in_units)(const Samples *, const int64_t *order, int64_t a, int64_t b,
                                const Weights *);
    void (*round_rows)(const Samples *, int64_t a, int64_t b);
    /* Weights of classes stand by `TOGETHER`: all their numbers w_0, then all w_1, and so on. */
    void (*score_classes)(const double *V, int width, const double *x, int m, double *scores);
    int64_t (*mistakes_in)(const Samples *, int64_t a, int64_t b, const Weights *);
    void (*gather_sheaves)(const Samples *, float *Z);
    void (*tally)(const float *Z, int m, const float *const v[HAND], const float near[HAND],
                  int32_t wrong[HAND]);
    void (*add_row)(double *scores, double step, const double *row, int64_t n);
};

#endif
