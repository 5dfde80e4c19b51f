(** * What no weights separate: obstructions

    The alternative of chapter 3 (thm-conv-alternative): data have a separator or an obstruction,
    and never both. That they never have both is proved here. That they have one is shown, data
    set by data set, by giving it. *)

From Perceptron Require Export Convergence.

(** The sum of mu_n y_n x_n over the samples; mu has a number for each. *)
Fixpoint combination (mu : list Z) (data : list sample) : vector :=
  match mu, data with
  | a :: mu, s :: data => add (scale (a * y s) (x s)) (combination mu data)
  | _, _ => []
  end.

(** A number mu_n >= 0 for each sample, not all 0, with which the signed samples cancel. (The book
    divides them by their sum.) *)
Record obstruction (mu : list Z) (data : list sample) : Prop := {
  one_each : length mu = length data;
  nonnegative : Forall (Z.le 0) mu;
  not_all_zero : Exists (Z.lt 0) mu;
  cancel : zero (combination mu data)
}.

(** The inner product of w with the sum is the sum of the signed scores, mu_n times each. *)
Lemma dot_combination w mu data : length mu = length data ->
  Forall (Z.le 0) mu -> separates data w ->
  0 <= dot w (combination mu data) /\
  (Exists (Z.lt 0) mu -> 0 < dot w (combination mu data)).
Proof.
  revert data. induction mu as [|a mu IH]; intros [|s data] L P S; try discriminate.
  - simpl. rewrite dot_nil. split; [lia|]. inversion 1.
  - inversion P as [|? ? Pa Pmu]; subst. injection L as L.
    destruct (IH data L Pmu) as [I J]; [intros s' I; apply S; simpl; auto|].
    assert (0 < signed_score w s) as M by (apply S; simpl; auto).
    simpl. rewrite dot_add, dot_scale.
    replace (a * y s * dot w (x s)) with (a * signed_score w s) by (unfold signed_score; ring).
    split; [nia|]. intros E. inversion E as [? ? E'|? ? E']; subst; [nia|].
    specialize (J E'). nia.
Qed.

(** Where there is an obstruction, nothing separates, and the other way round. *)
Theorem thm_conv_alternative data : ~ (separable data /\ exists mu, obstruction mu data).
Proof.
  intros [[w S] [mu [L P N C]]]. destruct (dot_combination w mu data L P S) as [_ D].
  specialize (D N). rewrite dot_zero in D by exact C. lia.
Qed.

(** Whatever the weights, a mistake is left. *)
Lemma mistake_is_left data mu w : obstruction mu data -> exists s, In s data /\ mistake w s.
Proof.
  intros O. destruct (mistake_or_not data w) as [H|H]; [|exact H].
  exfalso. apply (thm_conv_alternative data). split; [|exists mu; exact O].
  exists w. apply halted_separates. exact H.
Qed.

(** PLA never halts, whatever it picks, and it can make any number of updates. *)
Theorem thm_conv_obstruction data mu rate w0 : obstruction mu data ->
  (forall t w, run data rate w0 t w -> ~ halted data w) /\
  (forall t, exists w, run data rate w0 t w).
Proof.
  intros O. assert (forall w, ~ halted data w) as N.
  { intros w H. destruct (mistake_is_left data mu w O) as [s [I M]]. exact (H s I M). }
  split; [auto|]. intros t.
  destruct (halts_or_goes_on data rate w0 t) as [[t' [w [_ H]]]|R]; [destruct (N w H)|exact R].
Qed.
