/* Whole runs of the perceptron, and the search for their mistakes, for Python.
 *
 * `Search(X, y, reach, classes)` looks at samples; all but the dual form are methods of it. Its callers in
 * Python know the pick rules; here there are rows of numbers, orders of them and weights. Only
 * Python's stable interface is used, so one build serves Python 3.11 and whatever comes after. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#include "mistakes.h"

/* ---------------------------------------------------------------------------- processors
 *
 * The same loops for each kind of processor; which one serves is decided when the module is
 * loaded. "plain" is what a compiler without vectors builds, and is built everywhere for tests. */

/* What lanes.h calls by the same names for each kind. */
#define JOIN_(name, clone) name##_##clone
#define JOIN(name, clone) JOIN_(name, clone)
#define MY(name) JOIN(name, CLONE)
#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
#define LOOP TARGET static
#define PART TARGET INLINE
#define DOUBLES (VECTOR / 8)
#define FLOATS (VECTOR / 4)
#define DOUBLES_AT(p) (*(const MY(Doubles) *)(p))
#define FLOATS_AT(p) (*(const MY(Floats) *)(p))

#define CLONE plain
#define TARGET
#define VECTOR 0
#include "lanes.h"

#if defined(VECTORS)
#define CLONE baseline
#define TARGET
#define VECTOR 16
#include "lanes.h"
#endif

#if defined(VECTORS) && defined(__x86_64__)
#include <immintrin.h>
#define CLONE avx2
#define TARGET __attribute__((target("avx2,fma")))
#define VECTOR 32
#include "lanes.h"
#define CLONE avx512
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")))
#define VECTOR 64
#include "lanes.h"
#endif

/* The kinds that this machine can run, the fastest first. */
static int kinds(const Loops *known[4]) {
    int count = 0;
#if defined(VECTORS) && defined(__x86_64__)
    __builtin_cpu_init();
    int wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (wide && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        known[count++] = &loops_avx512;
    if (wide) known[count++] = &loops_avx2;
#endif
#if defined(VECTORS)
    known[count++] = &loops_baseline;
#endif
    known[count++] = &loops_plain;
    return count;
}

static const Loops *in_use; /* by searches that begin from now on */

/* ----------------------------------------------------------------------------- patience */

/* A brief search is over before another thread would notice. A longer one lets the others run,
 * and asks now and then whether the user wants to stop it. Both are counted in numbers read. */
#define BRIEF (1 << 15)
#define LONG (1 << 25)

typedef struct {
    int64_t left;
    PyThreadState *waiting; /* our thread's state while other threads may run */
    int stopped;            /* a Python exception is set: Ctrl-C */
} Patience;

static const Patience FRESH = {BRIEF, NULL, 0};

/* Take back what lets only one thread run Python. */
static void settle(Patience *p) {
    if (p->waiting) PyEval_RestoreThread(p->waiting);
    p->waiting = NULL;
}

/* Whether to go on after so many more numbers. */
static int go_on(Patience *p, int64_t numbers) {
    if ((p->left -= numbers) > 0) return 1;
    if (p->waiting) {
        settle(p);
        p->stopped = PyErr_CheckSignals();
    }
    if (p->stopped) return 0;
    p->waiting = PyEval_SaveThread();
    p->left = LONG;
    return 1;
}

/* ------------------------------------------------------------------------------- search */

#define MOST_NUMBERS (1 << 30) /* in a row */

enum { NONE_LEFT = -1, INTERRUPTED = -2, NO_SAMPLE = -3 };

/* Whether so many rows are rounded; if `keen`, those that are missing are rounded now. */
static int is_rounded(const Samples *data, int64_t rows, Weights *by, int keen) {
    Rounded *rounded = data->rounded;
    if (by->known >= rows) return 1; /* to ask takes as long as to score a row */
    if (!PyThread_acquire_lock(rounded->lock, NOWAIT_LOCK)) return 0; /* another thread is at it */
    if (keen && rounded->known < rows) {
        data->loops->round_rows(data, rounded->known, rows);
        rounded->known = rows;
    }
    by->known = rounded->known;
    PyThread_release_lock(rounded->lock);
    return by->known >= rows;
}

/* The first k from a to b - 1 whose sample (that at this place of the order, if there is one)
 * is a mistake of the weights, or one of the above. Rows are rounded just before they are first
 * searched, as they are in the cache then. */
static int64_t find(const Samples *data, const int64_t *order, int64_t a, int64_t b,
                    Weights *by, int keen, Patience *p) {
    const Loops *loops = data->loops;
    const int64_t most = 1 + (1 << 18) / data->m;
    while (a < b) {
        int64_t end = b - a < most ? b : a + most, from = a;
        int in_units = by->v && is_rounded(data, order ? data->n : end, by, keen);
        int exact = !in_units && !order && data->m <= SHORT;
        if (in_units) a = loops->suspect_in_units(data, order, a, end, by);
        else if (exact) a = loops->suspect_of_short(data, a, end, by);
        else a = loops->suspect(data, order, a, end, by);
        if (!go_on(p, (a - from + 1) * data->m)) return INTERRUPTED;
        if (a == end) continue;
        if (exact) return a;
        int64_t i = sample_at(order, a);
        if ((uint64_t)i >= (uint64_t)data->n) return NO_SAMPLE;
        /* What is near in units is mostly far in doubles, whose rough sum costs less. */
        int doubtful = !in_units || loops->suspect(data, order, a, a + 1, by) == a;
        if (doubtful && is_mistake(data, i, by->w)) return a;
        a++;
    }
    return NONE_LEFT;
}

/* --------------------------------------------------------------------- arrays from Python */

/* A contiguous array of `kind` 'd' (float64), 'f' (float32), 'q' (int64) or 'h' (int16) with as
 * many axes, or an exception that names it. */
static int take(PyObject *array, const char *name, char kind, int axes, int writable,
                Py_buffer *taken) {
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(array, taken, flags) == 0) {
        const char *format = taken->format ? taken->format : "B";
        int whole = (*format == 'l' || *format == 'q') && taken->itemsize == 8;
        int fits = (kind == 'q' ? whole : *format == kind) && format[1] == '\0';
        int aligned = taken->itemsize && (uintptr_t)taken->buf % (uintptr_t)taken->itemsize == 0;
        if (fits && aligned && taken->ndim == axes) return 1;
        PyBuffer_Release(taken);
    }
    PyErr_Clear();
    const char *type = kind == 'd' ? "float64" : kind == 'f' ? "float32" : kind == 'q' ? "int64"
                                                                                      : "int16";
    PyErr_Format(PyExc_TypeError, "%s is not a contiguous, aligned%s array of %s with %d %s", name,
                 writable ? ", writable" : "", type, axes, axes == 1 ? "axis" : "axes");
    return 0;
}

/* A new array of NumPy's, which asks the system for large pages, as it likes. */
static int fresh_array(int64_t count, char kind, Py_buffer *taken) {
    PyObject *array = NULL, *numpy = PyImport_ImportModule("numpy");
    if (numpy) array = PyObject_CallMethod(numpy, "empty", "LC", (long long)count, (int)kind);
    int made = array && take(array, "memory", kind, 1, 1, taken);
    Py_XDECREF(numpy);
    Py_XDECREF(array); /* what was taken keeps it alive */
    return made;
}

/* An order of samples: an array of int64, or what NumPy makes of another one of whole numbers. */
static int take_order(PyObject *order, Py_buffer *taken) {
    if (take(order, "order", 'q', 1, 0, taken)) return 1;
    PyErr_Clear();
    PyObject *numpy = PyImport_ImportModule("numpy"), *array = NULL, *whole = NULL;
    if (numpy) array = PyObject_CallMethod(numpy, "asarray", "O", order);
    if (array) whole = PyObject_CallMethod(array, "astype", "sss", "int64", "C", "same_kind");
    int taken_now = whole && take(whole, "order", 'q', 1, 0, taken);
    Py_XDECREF(numpy);
    Py_XDECREF(array);
    Py_XDECREF(whole); /* what was taken keeps it alive */
    return taken_now;
}

/* -------------------------------------------------------------------------------- Search */

typedef struct {
    PyObject_HEAD
    Samples data;
    Rounded rounded;
    Py_buffer X, y, Q, Z; /* keep alive what data points to, and the columns Z of `tally` */
    int64_t read;         /* how many numbers were searched by now */
    int classes;          /* that compete, if y are not labels but classes; or 0 */
} Search;

static PyObject *Search_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"X", "y", "reach", "classes", NULL};
    PyObject *X, *y;
    double reach;
    int classes = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOd|i", names, &X, &y, &reach, &classes))
        return NULL;
    Search *self = (Search *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self) return NULL;
    if (!take(X, "X", 'd', 2, 0, &self->X) || !take(y, "y", 'q', 1, 0, &self->y)) goto failed;
    Py_ssize_t n = self->X.shape[0], m = self->X.shape[1];
    if (m < 1 || m > MOST_NUMBERS || self->y.shape[0] != n || classes < 0
        || classes > MOST_NUMBERS / m) {
        PyErr_Format(PyExc_ValueError, "X has shape (%zd, %zd) for %zd labels of %d classes", n, m,
                     self->y.shape[0], classes);
        goto failed;
    }
    self->classes = classes;
    if (!(self->rounded.lock = PyThread_allocate_lock())) {
        PyErr_NoMemory();
        goto failed;
    }
    self->rounded.width = ((int)m + in_use->lanes - 1) / in_use->lanes * in_use->lanes;
    self->data = (Samples){self->X.buf, self->y.buf, n, (int)m, reach, &self->rounded, in_use};
    return (PyObject *)self;
failed:
    Py_DECREF(self);
    return NULL;
}

static int Search_traverse(Search *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->X.obj);
    Py_VISIT(self->y.obj);
    Py_VISIT(self->Q.obj);
    Py_VISIT(self->Z.obj);
    return 0;
}

/* Afterwards it searches nothing. */
static int Search_clear(Search *self) {
    self->data.n = 0;
    self->rounded.rows = NULL;
    PyBuffer_Release(&self->X); /* which does nothing to a buffer that was never taken */
    PyBuffer_Release(&self->y);
    PyBuffer_Release(&self->Q);
    PyBuffer_Release(&self->Z);
    return 0;
}

static void Search_dealloc(Search *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack(self);
    Search_clear(self);
    if (self->rounded.lock) PyThread_free_lock(self->rounded.lock);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* How many numbers stay in the cache. */
#define CACHE (1 << 18)
/* To round a row takes as long as to search it several times, which pays from the third pass on,
 * unless there will be few more, or there are few rows from one mistake to the next. */
enum { PASSES = 2, MORE = 6, RARE = 32 };

/* What threads share: how many numbers were read, and what memory there is by now. */
typedef struct { int64_t read; int room, sheaves; } Shared;

/* Note that so many more numbers were read; with another thread's, perhaps at the same time. */
static Shared note_read(Search *self, int64_t numbers) {
    PyThread_acquire_lock(self->rounded.lock, WAIT_LOCK);
    self->read += numbers;
    Shared now = {self->read, self->rounded.rows != NULL, self->Z.buf != NULL};
    PyThread_release_lock(self->rounded.lock);
    return now;
}

/* Have room for rounded rows, if they may pay. */
static int make_room(Search *self, Patience *p, int *room) {
    const Samples *data = &self->data;
    Rounded *rounded = &self->rounded;
    if (*room || data->m <= SHORT || data->n * data->m < data->loops->worth) return 1;
    if (!half_precision_holds(0, data->m, data->reach)) return 1;
    Py_buffer Q;
    settle(p);
    if (!fresh_array(data->n * rounded->width, 'h', &Q)) return 0;
    PyThread_acquire_lock(rounded->lock, WAIT_LOCK);
    int ours = !rounded->rows; /* or was another thread faster? */
    if (ours) {
        self->Q = Q;
        rounded->rows = Q.buf;
    }
    PyThread_release_lock(rounded->lock);
    if (!ours) PyBuffer_Release(&Q);
    return *room = 1;
}

/* Search by other weights; v holds `width` floats, for rounded rows if there is room for these. */
static void weigh(const Samples *data, const double *w, int room, float *v, Weights *by) {
    double size = size_of(w, data->m, data->reach);
    *by = (Weights){w, nearness(size, data->m), NULL, 0, by->known};
    if (room && half_precision_holds(size, data->m, data->reach)) {
        const double unit = data->reach / STEPS;
        for (int j = 0; j < data->rounded->width; j++) v[j] = j < data->m ? (float)(w[j] * unit) : 0;
        by->v = v;
        by->near_v = nearness_of_units(size, data->m);
    }
}

static PyObject *no_sample(const Py_buffer *order, int64_t n) {
    const int64_t *i = order->buf;
    if (!i) return PyErr_Format(PyExc_IndexError, "y holds a number that is no class");
    for (Py_ssize_t k = 0; k < order->shape[0]; k++)
        if (i[k] < 0 || i[k] >= n)
            return PyErr_Format(PyExc_IndexError, "order[%zd] is %lld; expected a sample from 0 to %lld",
                                k, (long long)i[k], (long long)n - 1);
    return PyErr_Format(PyExc_IndexError, "order changed during the search");
}

PyDoc_STRVAR(look_doc,
"look(w, start, stop, order=None)\n--\n\n"
"The first mistake of the weights among samples start to stop - 1, or among order[start:stop];\n"
"None if all of them are right.");

static PyObject *Search_look(Search *self, PyObject *args) {
    PyObject *weights, *chosen = Py_None, *found = NULL;
    Py_ssize_t start, stop;
    Py_buffer w, order = {0};
    Patience p = FRESH;
    const Samples *data = &self->data;
    float *v = NULL;
    if (!PyArg_ParseTuple(args, "Onn|O", &weights, &start, &stop, &chosen)) return NULL;
    if (start < 0)
        return PyErr_Format(PyExc_ValueError, "start is %zd; expected at least 0", start);
    if (!take(weights, "w", 'd', 1, 0, &w)) return NULL;
    if (w.shape[0] != data->m) {
        PyErr_Format(PyExc_ValueError, "w has shape (%zd,); expected (%d,)", w.shape[0], data->m);
        goto done;
    }
    if (chosen != Py_None && !take_order(chosen, &order)) goto done;
    Shared now = note_read(self, 0);
    int many = now.read >= PASSES * data->n * data->m;
    if (many && !make_room(self, &p, &now.room)) goto done;
    if (!(v = PyMem_Malloc(self->rounded.width * sizeof(float)))) {
        PyErr_NoMemory();
        goto done;
    }
    Weights by = {0};
    weigh(data, w.buf, now.room, v, &by);
    Py_ssize_t places = order.buf ? order.shape[0] : data->n;
    if (start > places) start = places;
    stop = stop > places ? places : stop < start ? start : stop;
    int64_t k = find(data, order.buf, start, stop, &by, many, &p);
    settle(&p);
    note_read(self, ((k < 0 ? stop : k) - start) * data->m);
    if (k == NO_SAMPLE) no_sample(&order, data->n);
    else if (k == NONE_LEFT) found = Py_NewRef(Py_None);
    else if (k >= 0) found = PyLong_FromLongLong(sample_at(order.buf, k));
done:
    PyMem_Free(v);
    PyBuffer_Release(&w);
    PyBuffer_Release(&order);
    return found;
}

/* --------------------------------------------------------------------------------- runs */

/* How the rules choose: round and round, from the top each time, or among draws. */
enum { IN_TURN, FIRST, DRAWS };

/* Why a stretch of a run ended, beside the reasons of `find`. */
enum { FULL = 0, CONVERGED = NONE_LEFT, TOO_FEW_DRAWS = -4, ALL_DRAWN_RIGHT = -5 };

typedef struct {
    int how;
    const int64_t *order; /* of the samples, or draws of them, or NULL */
    int64_t places;       /* how many entries the order has */
    int64_t place;        /* where the rule has come to */
    int64_t draws;        /* how many it takes at first; eight times as many each further time */
    int64_t passes, most; /* which tour this is, and after how many to stop */
} Rule;

typedef int64_t (*Finder)(void *, const int64_t *order, int64_t a, int64_t b, Patience *);

/* The sample that the rule picks, or why there is none. */
static int64_t pick(Rule *rule, int64_t n, Finder find_among, void *them, Patience *p) {
    int64_t k = NONE_LEFT, place = rule->place;
    if (rule->how == DRAWS) {
        for (int64_t draws = rule->draws; k == NONE_LEFT && draws < n; draws *= 8) {
            if (rule->places - place < draws) return TOO_FEW_DRAWS;
            k = find_among(them, rule->order, place, place + draws, p);
            place += draws;
        }
        if (k == NONE_LEFT) k = ALL_DRAWN_RIGHT;
        rule->place = place;
    } else {
        k = find_among(them, rule->order, place, rule->places, p);
        if (k == NONE_LEFT && place > 0) {
            k = find_among(them, rule->order, 0, place, p);
            if (rule->passes < INT64_MAX) rule->passes++;
        }
        if (rule->how == IN_TURN && k >= 0) rule->place = k + 1;
    }
    if (k < 0) return k;
    int64_t i = sample_at(rule->order, k);
    return (uint64_t)i < (uint64_t)n ? i : NO_SAMPLE;
}

typedef struct {
    const Samples *data;
    Weights by;
    int keen; /* to round rows */
    int64_t read;
} Primal;

static int64_t find_in_samples(void *them, const int64_t *order, int64_t a, int64_t b,
                               Patience *p) {
    Primal *run = them;
    int64_t k = find(run->data, order, a, b, &run->by, run->keen, p);
    run->read += ((k < 0 ? b : k) - a) * run->data->m;
    return k;
}

/* Classes compete: a sample is a mistake unless its own one beats each other one. */
typedef struct {
    const Samples *data;
    int classes, width; /* as many, and with those that fill up the last scored together */
    double *V, *scores; /* see `score_classes` */
    int64_t own;        /* the class of the sample that was scored last */
} Contest;

INLINE double *weight_of(const Contest *run, int64_t c, int j) {
    return run->V + (c / TOGETHER * run->data->m + j) * TOGETHER + c % TOGETHER;
}

static int64_t find_in_classes(void *them, const int64_t *order, int64_t a, int64_t b,
                               Patience *p) {
    Contest *run = them;
    const Samples *data = run->data;
    for (int64_t k = a; k < b; k++) {
        int64_t i = sample_at(order, k);
        if ((uint64_t)i >= (uint64_t)data->n) return NO_SAMPLE;
        int64_t own = run->own = sample_at(data->y, i);
        if ((uint64_t)own >= (uint64_t)run->classes) return NO_SAMPLE;
        data->loops->score_classes(run->V, run->width, data->X + i * data->m, data->m, run->scores);
        int beaten = 1;
        for (int c = 0; c < run->classes; c++) beaten += run->scores[own] > run->scores[c];
        if (beaten < run->classes) return k;
        if (!go_on(p, (int64_t)run->classes * data->m)) return INTERRUPTED;
    }
    return NONE_LEFT;
}

/* Correct the sample that was scored last, and return its strongest rival: of equal ones the first;
 * what is not a number is strongest. */
static int correct(Contest *run, double rate, const double *x, const double *w, double *next) {
    const int own = (int)run->own, m = run->data->m;
    int best = own == 0;
    for (int c = best + 1; c < run->classes; c++)
        if (c != own && run->scores[best] == run->scores[best]
            && !(run->scores[c] <= run->scores[best]))
            best = c;
    for (int64_t j = 0; j < (int64_t)run->classes * m; j++) next[j] = w[j] + 0.0;
    for (int64_t j = 0, to = (int64_t)own * m, from = (int64_t)best * m; j < m; j++, to++, from++) {
        *weight_of(run, own, (int)j) = next[to] = w[to] + rate * x[j];
        *weight_of(run, best, (int)j) = next[from] = w[from] + rate * (0.0 - x[j]);
    }
    return best;
}

/* Read (how, order, place, draws, passes, most), the state of a rule. */
static int take_rule(PyObject *state, int64_t n, Rule *rule, Py_buffer *order) {
    PyObject *chosen;
    long long place, draws, passes, most;
    if (!PyTuple_Check(state)) {
        PyErr_SetString(PyExc_TypeError, "rule is not a tuple");
        return 0;
    }
    if (!PyArg_ParseTuple(state, "iOLLLL", &rule->how, &chosen, &place, &draws, &passes, &most)) return 0;
    if (chosen != Py_None && !take(chosen, "order", 'q', 1, 0, order)) return 0;
    int64_t places = order->buf ? order->shape[0] : n;
    *rule = (Rule){rule->how, order->buf, places, place, draws, passes, most};
    int odd = draws < 1 || passes < 1 || most < 0 || (rule->how == DRAWS && !order->buf);
    if (odd || place < 0 || place > places) {
        PyErr_SetString(PyExc_ValueError, "rule has a place, draws or passes that do not fit");
        return 0;
    }
    return 1;
}

PyDoc_STRVAR(run_doc,
"run(W, picks, rate, rule)\n--\n\n"
"Make updates from the weights W[0] on, until picks is full, the rule finds no mistake, or an\n"
"update was made in one pass too many. With classes there are weights for each of them in a row,\n"
"and a pick is a sample and the rival that beats it.\n\n"
"Returns (updates, the rule's place and pass by then, why it ended).");

static PyObject *Search_run(Search *self, PyObject *args) {
    PyObject *weights, *chosen, *known, *result = NULL;
    Py_buffer W = {0}, picks = {0}, order = {0};
    double rate, *V = NULL;
    Rule rule;
    Patience p = FRESH;
    const Samples *data = &self->data;
    const int m = data->m, classes = self->classes, axes = classes ? 2 : 1;
    int64_t t = 0, i = FULL;
    if (!PyArg_ParseTuple(args, "OOdO", &weights, &chosen, &rate, &known)) return NULL;
    if (!take(weights, "W", 'd', axes + 1, 1, &W) || !take(chosen, "picks", 'q', axes, 1, &picks))
        goto done;
    if (!take_rule(known, data->n, &rule, &order)) goto done;
    const int64_t T = picks.shape[0], K = classes ? classes : 1;
    Shared now = note_read(self, 0);
    if (W.shape[0] < T + 1 || W.shape[axes] != m
        || (classes && (W.shape[1] != K || picks.shape[1] != 2))) {
        PyErr_Format(PyExc_ValueError, "W has shape (%zd, ..., %zd); expected (%lld, ..., %d)",
                     W.shape[0], W.shape[axes], (long long)T + 1, m);
        goto done;
    }
    Primal run = {data, {0}, 0, 0};
    Contest contest = {data, (int)K, (int)(K + TOGETHER - 1) / TOGETHER * TOGETHER, NULL, NULL, 0};
    const size_t room = classes ? (size_t)contest.width * (m + 1) * sizeof(double)
                                : self->rounded.width * sizeof(float);
    if (!(V = PyMem_Calloc(1, room))) {
        PyErr_NoMemory();
        goto done;
    }
    contest.V = V;
    contest.scores = V + (size_t)contest.width * m;
    for (int c = 0; c < classes; c++)
        for (int j = 0; j < m; j++) *weight_of(&contest, c, j) = ((double *)W.buf)[(int64_t)c * m + j];
    for (; t < T; t++) {
        double *w = (double *)W.buf + t * K * m, *next = w + K * m;
        int64_t *picked = (int64_t *)picks.buf + t * axes;
        if (!classes) {
            int rare = run.read > (t + 1) * m * RARE;
            int more = rule.most - rule.passes >= MORE;
            run.keen = rare && more && now.read + run.read >= PASSES * data->n * m;
            if (run.keen && !make_room(self, &p, &now.room)) goto done;
            if (m > SHORT || rule.order) weigh(data, w, now.room, (float *)V, &run.by);
            else run.by.w = w; /* which is all that short rows in order need */
        }
        i = classes ? pick(&rule, data->n, find_in_classes, &contest, &p)
                    : pick(&rule, data->n, find_in_samples, &run, &p);
        if (i < 0) break;
        picked[0] = i;
        const double *x = data->X + i * m;
        if (classes) picked[1] = correct(&contest, rate, x, w, next);
        else for (int j = 0; j < m; j++) next[j] = w[j] + rate * (double)data->y[i] * x[j];
        i = FULL;
        if (rule.passes > rule.most) {
            t++;
            break;
        }
    }
    settle(&p);
    note_read(self, run.read);
    if (i == NO_SAMPLE) no_sample(&order, data->n);
    else if (i != INTERRUPTED)
        result = Py_BuildValue("LLLL", (long long)t, (long long)rule.place,
                               (long long)rule.passes, (long long)i);
done:
    settle(&p);
    PyMem_Free(V);
    PyBuffer_Release(&W);
    PyBuffer_Release(&picks);
    PyBuffer_Release(&order);
    return result;
}

/* ------------------------------------------------------------------------------- counts */

static int make_sheaves(Search *self, Patience *p) {
    const Samples *data = &self->data;
    const int sheaf = sheaf_of(data->m);
    int64_t whole = (data->n + sheaf - 1) / sheaf * sheaf * data->m;
    Py_buffer Z;
    if (note_read(self, 0).sheaves) return 1;
    if (!fresh_array(whole, 'f', &Z)) return 0;
    p->waiting = PyEval_SaveThread();
    data->loops->gather_sheaves(data, Z.buf);
    settle(p);
    PyThread_acquire_lock(self->rounded.lock, WAIT_LOCK);
    int ours = !self->Z.buf; /* or was another thread faster? */
    if (ours) self->Z = Z;
    PyThread_release_lock(self->rounded.lock);
    if (!ours) PyBuffer_Release(&Z);
    return 1;
}

/* A batch of weights whose mistakes are counted together. */
typedef struct {
    int64_t *count;
    const double *W;
    float *V, *near;
    int64_t *alive; /* those whose count is still below the least */
    int64_t living;
} Batch;

static int count_batch(const Samples *data, const float *Z, Batch *b, int64_t from, int64_t to,
                       int64_t below, int64_t whole, Patience *p) {
    const int m = data->m, sheaf = sheaf_of(m);
    b->living = 0;
    for (int64_t k = from; k < to; k++) {
        const double *w = b->W + k * m;
        double size = size_of(w, m, data->reach);
        b->count[k] = 0;
        if (size == 0) b->count[k] = data->n; /* every score is 0 */
        else if (!half_precision_holds(size, m, data->reach)) {
            Weights by = {w, nearness(size, m), NULL, 0, 0};
            b->count[k] = data->loops->mistakes_in(data, 0, data->n, &by);
            if (!go_on(p, data->n * m)) return 0;
        } else {
            float *v = b->V + (k - from) * m;
            for (int j = 0; j < m; j++) v[j] = (float)w[j];
            b->near[k - from] = nearness_of_floats(size, m);
            b->alive[b->living++] = k;
        }
    }
    for (int64_t a = 0; a < data->n && b->living; a += sheaf) {
        int64_t rows = data->n - a < sheaf ? data->n - a : sheaf, kept = 0;
        for (int64_t g = 0; g < b->living; g += HAND) {
            const float *v[HAND];
            float near[HAND];
            int32_t wrong[HAND];
            int hand = b->living - g < HAND ? (int)(b->living - g) : HAND;
            for (int h = 0; h < HAND; h++) {
                int64_t k = b->alive[g + (h < hand ? h : 0)] - from;
                v[h] = b->V + k * m;
                near[h] = b->near[k];
            }
            data->loops->tally(Z + a * m, m, v, near, wrong);
            for (int h = 0; h < hand; h++) {
                int64_t k = b->alive[g + h];
                const double *w = b->W + k * m;
                if (wrong[h] < 0) {
                    Weights by = {w, nearness(size_of(w, m, data->reach), m), NULL, 0, 0};
                    b->count[k] += data->loops->mistakes_in(data, a, a + rows, &by);
                } else {
                    int again = rows < sheaf && is_mistake(data, data->n - 1, w);
                    b->count[k] += wrong[h] - again * (sheaf - rows);
                }
                if (b->count[k] < below || k == whole) b->alive[kept++] = k;
            }
        }
        if (!go_on(p, b->living * rows * m)) return 0;
        b->living = kept;
    }
    return 1;
}

PyDoc_STRVAR(count_doc,
"count(W, counts, below, falling)\n--\n\n"
"Fill counts with the mistakes of each row of W. Counting may stop at `below`, and if that is\n"
"falling at what an earlier row has; it does not for the last row.");

static PyObject *Search_count(Search *self, PyObject *args) {
    PyObject *weights, *counted, *result = NULL;
    Py_buffer W = {0}, counts = {0};
    long long below;
    int falling;
    Patience p = FRESH;
    Batch batch = {0};
    const Samples *data = &self->data;
    const int m = data->m;
    if (!PyArg_ParseTuple(args, "OOLp", &weights, &counted, &below, &falling)) return NULL;
    if (!take(weights, "W", 'd', 2, 0, &W) || !take(counted, "counts", 'q', 1, 1, &counts))
        goto done;
    int64_t K = counts.shape[0];
    if (W.shape[0] != K || W.shape[1] != m) {
        PyErr_Format(PyExc_ValueError, "W has shape (%zd, %zd); expected (%lld, %d)", W.shape[0],
                     W.shape[1], (long long)K, m);
        goto done;
    }
    if (!make_sheaves(self, &p)) goto done;
    /* Few samples stay in the cache while weights come and go, and each tells the next when to
     * stop; many samples come and go while weights stay. */
    int64_t most = data->n * m < CACHE ? 4 * HAND : K;
    batch.count = counts.buf;
    batch.W = W.buf;
    batch.V = PyMem_Malloc((most * (m + 1) + 1) * sizeof(float));
    batch.alive = PyMem_Malloc((most + 1) * sizeof(int64_t));
    if (!batch.V || !batch.alive) {
        PyErr_NoMemory();
        goto done;
    }
    batch.near = batch.V + most * m;
    for (int64_t from = 0; from < K; from += most) {
        int64_t to = K - from < most ? K : from + most;
        if (!count_batch(data, self->Z.buf, &batch, from, to, below, K - 1, &p)) goto done;
        for (int64_t k = from; falling && k < to; k++)
            if (batch.count[k] < below) below = batch.count[k];
    }
    settle(&p); /* None is counted too */
    result = Py_NewRef(Py_None);
done:
    settle(&p);
    PyMem_Free(batch.V);
    PyMem_Free(batch.alive);
    PyBuffer_Release(&W);
    PyBuffer_Release(&counts);
    return result;
}

/* --------------------------------------------------------------------------------- dual */

typedef struct {
    const int64_t *y;
    const double *scores;
    int64_t n;
    double b;
} Dual;

static int64_t find_in_scores(void *them, const int64_t *order, int64_t a, int64_t b,
                              Patience *p) {
    const Dual *run = them;
    for (int64_t k = a; k < b; k++) {
        int64_t i = sample_at(order, k);
        if ((uint64_t)i >= (uint64_t)run->n) return NO_SAMPLE;
        if (!((double)run->y[i] * (run->scores[i] + run->b) > 0)) return k;
    }
    return NONE_LEFT;
}

PyDoc_STRVAR(dual_doc,
"run_dual(G, y, alpha, scores, b, intercept, rate, picks, updates, rule)\n--\n\n"
"Make so many picks of the dual form and at most so many updates, which change alpha and scores,\n"
"from the Gram matrix G. A pick without its update comes in one pass too many, or when all\n"
"updates are made.\n\n"
"Returns (updates, b, the pick without update or None, the rule's place and pass, why it ended).");

static PyObject *run_dual(PyObject *module, PyObject *args) {
    PyObject *matrix, *labels, *tallied, *sums, *state, *result = NULL;
    Py_buffer G = {0}, y = {0}, alpha = {0}, scores = {0}, order = {0};
    double b, rate;
    int intercept;
    long long picks, updates, t = 0, pending = NONE_LEFT;
    Rule rule;
    Patience p = FRESH;
    int64_t i = FULL;
    if (!PyArg_ParseTuple(args, "OOOOdpdLLO", &matrix, &labels, &tallied, &sums, &b, &intercept,
                          &rate, &picks, &updates, &state))
        return NULL;
    if (!take(matrix, "G", 'd', 2, 0, &G) || !take(labels, "y", 'q', 1, 0, &y)
        || !take(tallied, "alpha", 'd', 1, 1, &alpha)
        || !take(sums, "scores", 'd', 1, 1, &scores))
        goto done;
    const int64_t n = y.shape[0];
    if (G.shape[0] != n || G.shape[1] != n || alpha.shape[0] != n || scores.shape[0] != n) {
        PyErr_Format(PyExc_ValueError, "G, alpha and scores do not fit %lld labels", (long long)n);
        goto done;
    }
    if (!take_rule(state, n, &rule, &order)) goto done;
    const Loops *loops = in_use;
    Dual run = {y.buf, scores.buf, n, b};
    for (; t < picks; t++) {
        i = pick(&rule, n, find_in_scores, &run, &p);
        if (i < 0) break;
        if (t == updates || rule.passes > rule.most) {
            pending = i;
            i = FULL;
            break;
        }
        const double step = rate * (double)run.y[i];
        ((double *)alpha.buf)[i] += rate;
        if (intercept) run.b += step;
        loops->add_row(scores.buf, step, (const double *)G.buf + i * n, n);
        if (!go_on(&p, 4 * n)) goto done;
        i = FULL;
    }
    settle(&p);
    if (i == NO_SAMPLE) no_sample(&order, n);
    else if (i != INTERRUPTED) {
        PyObject *left = pending < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(pending);
        result = Py_BuildValue("LdNLLL", t, run.b, left, (long long)rule.place,
                               (long long)rule.passes, (long long)i);
    }
done:
    settle(&p);
    PyBuffer_Release(&G);
    PyBuffer_Release(&y);
    PyBuffer_Release(&alpha);
    PyBuffer_Release(&scores);
    PyBuffer_Release(&order);
    return result;
}

/* ------------------------------------------------------------------------------- sums */

PyDoc_STRVAR(add_changes_doc,
"add_changes(total, W, times)\n--\n\n"
"Add to total the change from each row of W to the next, as many times, one after the other.");

static PyObject *add_changes(PyObject *module, PyObject *args) {
    PyObject *sum, *weights, *counts, *result = NULL;
    Py_buffer total = {0}, W = {0}, times = {0};
    if (!PyArg_ParseTuple(args, "OOO", &sum, &weights, &counts)) return NULL;
    if (!take(sum, "total", 'd', 1, 1, &total) || !take(weights, "W", 'd', 2, 0, &W)
        || !take(counts, "times", 'q', 1, 0, &times))
        goto done;
    const Py_ssize_t m = total.shape[0], T = times.shape[0];
    double *a = total.buf;
    const double *w = W.buf;
    if (W.shape[0] != T + 1 || W.shape[1] != m) {
        PyErr_SetString(PyExc_ValueError, "W has a shape that does not fit total and times");
        goto done;
    }
    for (Py_ssize_t t = 0; t < T; t++, w += m)
        for (Py_ssize_t j = 0; j < m; j++)
            a[j] = a[j] + (double)((int64_t *)times.buf)[t] * (w[m + j] - w[j]);
    result = Py_NewRef(Py_None);
done:
    PyBuffer_Release(&total);
    PyBuffer_Release(&W);
    PyBuffer_Release(&times);
    return result;
}

/* ------------------------------------------------------------------------------- module */

PyDoc_STRVAR(search_doc,
"Search(X, y, reach, classes=0)\n--\n\n"
"Look for mistakes among the rows of X, where no number is larger than reach; y are labels, or\n"
"numbers of classes, which can only `run`.");

static PyMethodDef Search_methods[] = {
    {"look", (PyCFunction)Search_look, METH_VARARGS, look_doc},
    {"run", (PyCFunction)Search_run, METH_VARARGS, run_doc},
    {"count", (PyCFunction)Search_count, METH_VARARGS, count_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot Search_slots[] = {
    {Py_tp_doc, (void *)search_doc},
    {Py_tp_new, Search_new},
    {Py_tp_traverse, Search_traverse},
    {Py_tp_clear, Search_clear},
    {Py_tp_dealloc, Search_dealloc},
    {Py_tp_methods, Search_methods},
    {0, NULL},
};

static PyType_Spec Search_spec = {
    "perceptron_notes.native._loops.Search", sizeof(Search), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, Search_slots};

PyDoc_STRVAR(kinds_doc,
"kinds()\n--\n\n"
"The names of the loops that this machine can run, the fastest first.");

static PyObject *kinds_here(PyObject *module, PyObject *nothing) {
    const Loops *known[4];
    int count = kinds(known);
    PyObject *names = PyTuple_New(count);
    for (int k = 0; names && k < count; k++) {
        PyObject *name = PyUnicode_FromString(known[k]->name);
        if (!name || PyTuple_SetItem(names, k, name) < 0) Py_CLEAR(names);
    }
    return names;
}

PyDoc_STRVAR(use_doc,
"use(name)\n--\n\n"
"Use the loops with this name, one of `kinds()`, in searches and runs that begin from now on.");

static PyObject *use(PyObject *module, PyObject *wanted) {
    const Loops *known[4];
    PyObject *ascii = PyUnicode_Check(wanted) ? PyUnicode_AsUTF8String(wanted) : NULL;
    const char *name = ascii ? PyBytes_AsString(ascii) : "";
    int found = 0;
    for (int k = kinds(known); name && !found && k--;)
        if ((found = !strcmp(known[k]->name, name))) in_use = known[k];
    Py_XDECREF(ascii);
    if (found) return Py_NewRef(Py_None);
    PyErr_Clear();
    return PyErr_Format(PyExc_ValueError, "%R is not among the loops that this machine can run", wanted);
}

static PyMethodDef functions[] = {
    {"run_dual", run_dual, METH_VARARGS, dual_doc},
    {"add_changes", add_changes, METH_VARARGS, add_changes_doc},
    {"kinds", kinds_here, METH_NOARGS, kinds_doc},
    {"use", use, METH_O, use_doc},
    {NULL, NULL, 0, NULL},
};

static int fill(PyObject *module) {
    static const struct {
        const char *name;
        int value;
    } numbers[] = {{"IN_TURN", IN_TURN}, {"FIRST", FIRST}, {"DRAWS", DRAWS}, {"FULL", FULL},
                   {"CONVERGED", CONVERGED}, {"TOO_FEW_DRAWS", TOO_FEW_DRAWS},
                   {"ALL_DRAWN_RIGHT", ALL_DRAWN_RIGHT}};
    const Loops *known[4];
    if (!in_use && kinds(known)) in_use = known[0];
    PyObject *search = PyType_FromModuleAndSpec(module, &Search_spec, NULL);
    int failed = !search || PyModule_AddObjectRef(module, "Search", search) < 0;
    Py_XDECREF(search);
    if (failed) return -1;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (PyModule_AddIntConstant(module, numbers[k].name, numbers[k].value) < 0) return -1;
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, fill},
#ifdef Py_mod_gil /* what threads share in a search stands under its lock */
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_loops", "The search for mistakes and whole runs, in C.", 0, functions,
    slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__loops(void) { return PyModuleDef_Init(&definition); }
