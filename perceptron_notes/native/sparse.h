/* The search and whole runs on sparse samples, of which only the entries that are not 0 are read.
 *
 * A zero adds nothing to a score, so the canonical score, from the left, is the same number as that
 * of the sample written out in full. Part of `_loops.c`. */

typedef struct {
    PyObject_HEAD
    const int64_t *ends;  /* the entries of sample i are those from ends[i] to ends[i + 1] - 1, */
    const int32_t *where; /* each with its column, in order, */
    const double *values; /* and its number */
    const int64_t *y;
    const double *importance; /* what multiplies the update of each sample, or NULL */
    int64_t n, m;
    int intercept; /* whether each sample has a leading 1 */
    Py_buffer taken[5];
} Sparse;

static int Sparse_clear(Sparse *self) {
    self->n = 0;
    for (int k = 0; k < 5; k++) PyBuffer_Release(&self->taken[k]);
    return 0;
}

static int Sparse_traverse(Sparse *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    for (int k = 0; k < 5; k++) Py_VISIT(self->taken[k].obj);
    return 0;
}

static void Sparse_dealloc(Sparse *self) {
    PyObject_GC_UnTrack(self);
    Sparse_clear(self);
    delete_object((PyObject *)self);
}

static PyObject *Sparse_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"indptr", "indices", "values", "y", "importance", "m", "intercept", NULL};
    PyObject *ends, *where, *values, *y, *importance;
    long long m;
    int intercept;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOLp", names, &ends, &where, &values, &y,
                                     &importance, &m, &intercept))
        return NULL;
    Sparse *self = (Sparse *)new_object(type);
    if (!self) return NULL;
    Py_buffer *taken = self->taken;
    if (!take(ends, "indptr", 'q', 1, 0, &taken[0]) || !take(where, "indices", 'i', 1, 0, &taken[1])
        || !take(values, "values", 'd', 1, 0, &taken[2]) || !take(y, "y", 'q', 1, 0, &taken[3])
        || (importance != Py_None && !take(importance, "importance", 'd', 1, 0, &taken[4])))
        goto failed;
    const int64_t n = taken[3].shape[0], entries = taken[1].shape[0];
    self->ends = taken[0].buf;
    self->where = taken[1].buf;
    self->values = taken[2].buf;
    self->y = taken[3].buf;
    self->importance = taken[4].buf;
    self->m = m;
    self->intercept = intercept;
    int fits = m > 0 && m <= MOST_NUMBERS && taken[0].shape[0] == n + 1
        && taken[2].shape[0] == entries && (!self->importance || taken[4].shape[0] == n)
        && self->ends[0] >= 0 && self->ends[n] <= entries;
    for (int64_t i = 0; fits && i < n; i++) fits = self->ends[i] <= self->ends[i + 1];
    for (int64_t k = 0; fits && k < entries; k++)
        fits = self->where[k] >= 0 && self->where[k] < m - intercept;
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "indptr, indices, values, y and importance do not fit");
        goto failed;
    }
    self->n = n;
    return (PyObject *)self;
failed:
    Py_DECREF(self);
    return NULL;
}

static int is_sparse_mistake(const Sparse *data, int64_t i, const double *w) {
    const double *slopes = w + data->intercept;
    double s = data->intercept ? w[0] : 0;
    for (int64_t k = data->ends[i]; k < data->ends[i + 1]; k++)
        s = s + slopes[data->where[k]] * data->values[k];
    return !((double)data->y[i] * s > 0);
}

typedef struct {
    const Sparse *data;
    const double *w;
} SparseRun;

static int64_t find_in_sparse(void *them, const int64_t *order, int64_t a, int64_t b, Patience *p) {
    const SparseRun *run = them;
    const Sparse *data = run->data;
    for (int64_t k = a; k < b; k++) {
        int64_t i = sample_at(order, k);
        if ((uint64_t)i >= (uint64_t)data->n) return NO_SAMPLE;
        if (is_sparse_mistake(data, i, run->w)) return k;
        if (!go_on(p, 8 + data->ends[i + 1] - data->ends[i])) return INTERRUPTED;
    }
    return NONE_LEFT;
}

static int take_weights(const Sparse *self, PyObject *weights, int writable, Py_buffer *w) {
    if (!take(weights, "w", 'd', 1, writable, w)) return 0;
    if (w->shape[0] == self->m) return 1;
    PyErr_Format(PyExc_ValueError, "w has shape (%zd,); expected (%lld,)", w->shape[0],
                 (long long)self->m);
    PyBuffer_Release(w);
    return 0;
}

PyDoc_STRVAR(sparse_look_doc,
"look(w, start, stop, order=None)\n--\n\nThe first mistake of the weights, as `Look` says.");

static PyObject *Sparse_look(Sparse *self, PyObject *args) {
    PyObject *weights, *chosen = Py_None, *found = NULL;
    Py_ssize_t start, stop;
    Py_buffer w, order = {0};
    Patience p = FRESH;
    if (!PyArg_ParseTuple(args, "Onn|O", &weights, &start, &stop, &chosen)) return NULL;
    if (start < 0)
        return PyErr_Format(PyExc_ValueError, "start is %zd; expected at least 0", start);
    if (!take_weights(self, weights, 0, &w)) return NULL;
    if (chosen == Py_None || take_order(chosen, &order)) {
        Py_ssize_t places = order.buf ? order.shape[0] : (Py_ssize_t)self->n;
        SparseRun run = {self, w.buf};
        int64_t k = find_in_sparse(&run, order.buf, start, stop < places ? stop : places, &p);
        settle(&p);
        if (k == NO_SAMPLE) found = no_sample(&order, self->n);
        else if (k == NONE_LEFT) found = Py_NewRef(Py_None);
        else if (k >= 0) found = PyLong_FromLongLong(sample_at(order.buf, k));
    }
    PyBuffer_Release(&w);
    PyBuffer_Release(&order);
    return found;
}

PyDoc_STRVAR(sparse_mistakes_doc,
"mistakes(w, wrong)\n--\n\nSet wrong[i], an int64, to 1 for each mistake of the weights, else to 0.");

static PyObject *Sparse_mistakes(Sparse *self, PyObject *args) {
    PyObject *weights, *marked, *result = NULL;
    Py_buffer w, wrong;
    Patience p = FRESH;
    if (!PyArg_ParseTuple(args, "OO", &weights, &marked)) return NULL;
    if (!take_weights(self, weights, 0, &w)) return NULL;
    if (take(marked, "wrong", 'q', 1, 1, &wrong)) {
        if (wrong.shape[0] != self->n)
            PyErr_Format(PyExc_ValueError, "wrong has %zd entries; expected %lld", wrong.shape[0],
                         (long long)self->n);
        else {
            int64_t i = 0;
            for (int going = 1; going && i < self->n; i++) {
                ((int64_t *)wrong.buf)[i] = is_sparse_mistake(self, i, w.buf);
                going = go_on(&p, 8 + self->ends[i + 1] - self->ends[i]);
            }
            settle(&p);
            if (!p.stopped) result = Py_NewRef(Py_None);
        }
        PyBuffer_Release(&wrong);
    }
    PyBuffer_Release(&w);
    return result;
}

PyDoc_STRVAR(sparse_run_doc,
"run(w, rate, picks, updates, rule)\n--\n\n"
"Make so many picks and at most so many updates, which change the weights w. A pick without its\n"
"update comes in one pass too many, or when all updates are made.\n\n"
"Returns (updates, the pick without update or None, the rule's place and pass, why it ended).");

static PyObject *Sparse_run(Sparse *self, PyObject *args) {
    PyObject *weights, *state, *result = NULL;
    Py_buffer w, order = {0};
    double rate;
    long long picks, updates, t = 0, pending = NONE_LEFT;
    Rule rule;
    Patience p = FRESH;
    int64_t i = FULL;
    if (!PyArg_ParseTuple(args, "OdLLO", &weights, &rate, &picks, &updates, &state)) return NULL;
    if (!take_weights(self, weights, 1, &w)) return NULL;
    if (!take_rule(state, self->n, &rule, &order)) goto done;
    double *slopes = (double *)w.buf + self->intercept;
    SparseRun run = {self, w.buf};
    for (; t < picks; t++) {
        i = pick(&rule, self->n, find_in_sparse, &run, &p);
        if (i < 0) break;
        if (t == updates || rule.passes > rule.most) {
            pending = i;
            i = FULL;
            break;
        }
        const double step = rate * (double)self->y[i];
        const double times = self->importance ? self->importance[i] : 1;
        if (self->intercept) ((double *)w.buf)[0] += step * times;
        for (int64_t k = self->ends[i]; k < self->ends[i + 1]; k++) {
            double *one = slopes + self->where[k];
            *one = *one + step * (times * self->values[k]);
        }
        i = FULL;
    }
    settle(&p);
    if (i == NO_SAMPLE) no_sample(&order, self->n);
    else if (i != INTERRUPTED) {
        PyObject *left = pending < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(pending);
        result = Py_BuildValue("LNLLL", t, left, (long long)rule.place, (long long)rule.passes,
                               (long long)i);
    }
done:
    settle(&p);
    PyBuffer_Release(&w);
    PyBuffer_Release(&order);
    return result;
}

PyDoc_STRVAR(sparse_doc,
"Sparse(indptr, indices, values, y, importance, m, intercept)\n--\n\n"
"Look for mistakes among the rows of a sparse matrix with m - intercept columns.");

static PyMethodDef Sparse_methods[] = {
    {"look", (PyCFunction)Sparse_look, METH_VARARGS, sparse_look_doc},
    {"mistakes", (PyCFunction)Sparse_mistakes, METH_VARARGS, sparse_mistakes_doc},
    {"run", (PyCFunction)Sparse_run, METH_VARARGS, sparse_run_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot Sparse_slots[] = {
    {Py_tp_doc, (void *)sparse_doc},
    {Py_tp_new, Sparse_new},
    {Py_tp_traverse, Sparse_traverse},
    {Py_tp_clear, Sparse_clear},
    {Py_tp_dealloc, Sparse_dealloc},
    {Py_tp_methods, Sparse_methods},
    {0, NULL},
};

static PyType_Spec Sparse_spec = {
    "perceptron_notes.native._loops.Sparse", sizeof(Sparse), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, Sparse_slots};
