(** * The perceptron's convergence, as chapter 3 of the book proves it

    A statement that the book proves has the book's label for its name: [thm_conv_bound] is
    thm-conv-bound there. The numbers here are whole; the book's are real. *)

From Perceptron Require Export Vectors.

(** ** Samples, mistakes, runs *)

(** A sample: its coordinates, the constant 1 among them if there is
    one, and its label. *)
Record sample := Sample { x : vector; y : Z }.

(** The signed score y (w . x) of a sample. *)
Definition signed_score (w : vector) (s : sample) : Z :=
  y s * dot w (x s).

(** A sample is a mistake of w if its signed score is not positive. *)
Definition mistake (w : vector) (s : sample) : Prop :=
  signed_score w s <= 0.

(** The update of PLA: w + rate y x. *)
Definition correct (rate : Z) (w : vector) (s : sample) :=
  add w (scale (rate * y s) (x s)).

(** [run data rate w0 t w]: after t updates, each of which corrected
    some mistake, PLA can have the weights w. Nothing is said of how
    it picks the mistake. *)
Inductive run (data : list sample) (rate : Z) (w0 : vector)
  : nat -> vector -> Prop :=
| begin : run data rate w0 0 w0
| update t w s :
    run data rate w0 t w -> In s data -> mistake w s ->
    run data rate w0 (S t) (correct rate w s).

(** PLA halts with weights that make no mistake. *)
Definition halted (data : list sample) (w : vector) : Prop :=
  forall s, In s data -> ~ mistake w s.

(** All labels are 1 or -1. *)
Definition labelled (data : list sample) : Prop :=
  forall s, In s data -> y s = 1 \/ y s = -1.

(** def-conv-separable: *)
Definition separates (data : list sample) (w : vector) : Prop :=
  forall s, In s data -> 0 < signed_score w s.

Definition separable (data : list sample) : Prop :=
  exists w, separates data w.

(** ** The theorem

    What the bound needs: weights wf, a positive number m that no signed score of wf falls below,
    and a number R2 that no sample's squared length exceeds. *)
Section Bound.
  Variables (data : list sample) (rate : Z) (w0 wf : vector) (m R2 : Z).
  Hypothesis labels : labelled data.
  Hypothesis rate_positive : 0 < rate.
  Hypothesis m_positive : 0 < m.
  Hypothesis m_least : forall s, In s data -> m <= signed_score wf s.
  Hypothesis R2_largest : forall s, In s data -> norm2 (x s) <= R2.

  Lemma inner_after u w s : dot u (correct rate w s) = dot u w + rate * signed_score u s.
  Proof. unfold correct, signed_score. rewrite dot_add, dot_scale. ring. Qed.

  Lemma norm2_after w s : In s data ->
    norm2 (correct rate w s) = norm2 w + 2 * rate * signed_score w s + rate * rate * norm2 (x s).
  Proof.
    intros I. unfold correct, signed_score. rewrite norm2_add, norm2_scale, dot_scale.
    destruct (labels s I) as [-> | ->]; ring.
  Qed.

  (** Wf . w grows by rate m or more at each update. *)
  Lemma lem_conv_growth t w : run data rate w0 t w ->
    dot wf w0 + Z.of_nat t * rate * m <= dot wf w.
  Proof.
    induction 1 as [|t w s _ IH I _]; [lia|].
    rewrite inner_after. pose proof (m_least s I). nia.
  Qed.

  (** The squared length grows by rate^2 R2 or less. *)
  Lemma lem_conv_length t w : run data rate w0 t w ->
    norm2 w <= norm2 w0 + Z.of_nat t * (rate * rate * R2).
  Proof.
    induction 1 as [|t w s _ IH I M]; [lia|].
    rewrite norm2_after by assumption. pose proof (R2_largest s I). unfold mistake in M.
    rewrite Nat2Z.inj_succ. nia.
  Qed.

  (** The goal of the second proof is g = rate R2 wf / m. This is m^2 times the squared distance
      of w from it, a whole number. *)
  Definition distance2 (w : vector) : Z :=
    norm2 (add (scale m w) (scale (- (rate * R2)) wf)).

  (** At each update the squared distance falls by rate^2 R2 or more. *)
  Theorem thm_conv_distance w s : In s data -> mistake w s ->
    distance2 (correct rate w s) <= distance2 w - m * m * (rate * rate * R2).
  Proof.
    intros I M. unfold distance2. rewrite !norm2_combination, norm2_after by assumption.
    rewrite (dot_comm _ wf), (dot_comm w wf), inner_after.
    pose proof (m_least s I) as G. pose proof (R2_largest s I) as L.
    pose proof (norm2_nonnegative (x s)) as P. unfold mistake in M.
    assert (m * m * rate * signed_score w s <= 0) as A by (apply Z.mul_nonneg_nonpos; nia).
    assert (m * m * rate * rate * norm2 (x s) <= m * m * rate * rate * R2) as B
      by (apply Z.mul_le_mono_nonneg_l; nia).
    assert (m * rate * rate * R2 * m <= m * rate * rate * R2 * signed_score wf s) as C
      by (apply Z.mul_le_mono_nonneg_l; [repeat apply Z.mul_nonneg_nonneg|]; lia).
    lia.
  Qed.

  (** The bound from any start, (T rate^2 R2) m^2 <= |m w0 - rate R2 wf|^2. *)
  Theorem thm_conv_start t w : run data rate w0 t w ->
    Z.of_nat t * (m * m * (rate * rate * R2)) <= distance2 w0.
  Proof.
    assert (forall v, 0 <= distance2 v) as P by (intros; apply norm2_nonnegative).
    intros H.
    assert (distance2 w <= distance2 w0 - Z.of_nat t * (m * m * (rate * rate * R2))) as D.
    { induction H as [|t w s _ IH I M]; [lia|].
      pose proof (thm_conv_distance w s I M). rewrite Nat2Z.inj_succ. lia. }
    pose proof (P w). lia.
  Qed.

  (** From zero, after an update or more, wf . w > 0, w is not zero, and squared
      cos >= sqrt t (rho / R) is t m^2 |w|^2 <= (wf . w)^2 R2. *)
  Lemma lem_conv_cosine t w : zero w0 -> (0 < t)%nat -> run data rate w0 t w ->
    0 < dot wf w /\ 0 < norm2 w /\
    Z.of_nat t * (m * m) * norm2 w <= dot wf w * dot wf w * R2.
  Proof.
    intros O T H. pose proof (norm2_nonnegative w) as P.
    pose proof (lem_conv_growth t w H) as G. rewrite (dot_zero _ w0 O) in G.
    pose proof (lem_conv_length t w H) as L. rewrite (dot_zero w0 w0 O : norm2 w0 = 0) in L.
    set (k := Z.of_nat t) in *. assert (1 <= k) by lia. assert (0 < k * rate * m) by nia.
    assert (0 < norm2 w) as N.
    { destruct (Z.eq_dec (norm2 w) 0) as [E|]; [|lia].
      rewrite (dot_zero wf w (norm2_zero w E)) in G. lia. }
    assert (0 < R2) by nia.
    repeat split; [lia|exact N|].
    assert (k * (m * m) * norm2 w <= k * (m * m) * (k * (rate * rate * R2)))
      by (apply Z.mul_le_mono_nonneg_l; nia).
    assert ((k * rate * m) * (k * rate * m) * R2 <= dot wf w * dot wf w * R2)
      by (apply Z.mul_le_mono_nonneg_r; nia).
    lia.
  Qed.

  (** From zero T m^2 <= R2 |wf|^2, which is T <= (R / rho)^2. *)
  Theorem thm_conv_bound t w : zero w0 -> 0 < R2 -> run data rate w0 t w ->
    Z.of_nat t * (m * m) <= R2 * norm2 wf.
  Proof.
    intros O P H. pose proof (thm_conv_start t w H) as B.
    unfold distance2 in B. rewrite norm2_combination, (dot_comm w0 wf) in B.
    unfold norm2 at 1 in B. rewrite !(dot_zero _ w0 O) in B.
    apply Z.mul_le_mono_pos_l with (rate * rate * R2); nia.
  Qed.
End Bound.

(** ** Halting *)

Lemma mistake_or_not data w : halted data w \/ exists s, In s data /\ mistake w s.
Proof.
  unfold halted, mistake. induction data as [|s data [IH|IH]].
  - left. intros s [].
  - destruct (Z_le_gt_dec (signed_score w s) 0) as [M|M].
    + right. exists s. simpl. auto.
    + left. intros s' [<-|I]; [lia|auto].
  - right. destruct IH as [s' [I M]]. exists s'. simpl. auto.
Qed.

(** Weights without a mistake separate. *)
Lemma halted_separates data w : halted data w <-> separates data w.
Proof.
  unfold halted, separates, mistake. split; intros H s I; specialize (H s I); lia.
Qed.

(** A run either halts within so many updates, or can make so many. *)
Lemma halts_or_goes_on data rate w0 t :
  (exists t w, run data rate w0 t w /\ halted data w) \/ exists w, run data rate w0 t w.
Proof.
  induction t as [|t [H|[w R]]].
  - right. exists w0. constructor.
  - left. exact H.
  - destruct (mistake_or_not data w) as [H|[s [I M]]].
    + left. exists t, w. auto.
    + right. exists (correct rate w s). constructor; assumption.
Qed.

Lemma longest data : exists R2, 0 < R2 /\ forall s, In s data -> norm2 (x s) <= R2.
Proof.
  induction data as [|s data [R2 [P IH]]].
  - exists 1. split; [lia|]. intros s [].
  - exists (Z.max R2 (norm2 (x s))). split; [lia|]. intros s' [<-|I]; [lia|].
    specialize (IH s' I). lia.
Qed.

(** PLA halts if and only if the data are linearly separable, whatever it picks: if they are, no
    run makes more than T updates; and if any run at all halts, they are. *)
Theorem thm_conv_halting data rate w0 : labelled data -> 0 < rate ->
  (separable data -> exists T, forall t w, run data rate w0 t w -> (t <= T)%nat) /\
  (forall t w, run data rate w0 t w -> halted data w -> separable data).
Proof.
  intros L P. split.
  - intros [wf S]. destruct (longest data) as [R2 [P2 B]].
    exists (Z.to_nat (distance2 rate wf 1 R2 w0)). intros t w H.
    (* Margins are whole numbers, so that none is between 0 and 1. *)
    assert (forall s, In s data -> 1 <= signed_score wf s) as M
      by (intros s I; specialize (S s I); lia).
    pose proof (thm_conv_start data rate w0 wf 1 R2 L P ltac:(lia) M B t w H).
    assert (1 <= rate * rate * R2) by nia. nia.
  - intros t w _ H. exists w. apply halted_separates. exact H.
Qed.

(** Every run halts: it makes at most T updates, and as long as its weights do not separate, a
    mistake is left to correct. *)
Corollary cor_conv_halts data rate w0 : labelled data -> 0 < rate -> separable data ->
  exists T, forall t w, run data rate w0 t w ->
    (t <= T)%nat /\ (separates data w \/ exists s, In s data /\ mistake w s).
Proof.
  intros L P S. destruct (proj1 (thm_conv_halting data rate w0 L P) S) as [T B].
  exists T. intros t w H. split; [exact (B t w H)|].
  rewrite <- halted_separates. apply mistake_or_not.
Qed.
