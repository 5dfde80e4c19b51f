(** * Samples on which every order is slow

    The family of chapter 3, the package's [slow]: d + 1 samples on which PLA from zero makes
    exactly (4^(d+1) - 1) / 3 updates, whatever mistakes it picks. It is proved for every d. The
    signed samples are those of exercise 8.1 in Mohri, Rostamizadeh and Talwalkar, "Foundations of
    Machine Learning", 2nd edition, 2018; that exercise asks for exponentially many updates. *)

From Perceptron Require Export Convergence.

(** ** The samples, the start, the end *)

(** Sample k of the family, k = 0, ..., d. The first entry is the constant 1. The origin is
    positive; after it come negative samples with ones before place k, -1 there, zeros behind. *)
Definition slow_sample (d k : nat) : sample :=
  match k with
  | O => Sample (1 :: repeat 0 d) 1
  | S _ => Sample (repeat 1 k ++ -1 :: repeat 0 (d - k)) (-1)
  end.

Definition slow (d : nat) : list sample := map (slow_sample d) (seq 0 (S d)).

(** The weights at the start, d + 1 zeros, *)
Definition zeros (d : nat) : vector := repeat 0 (S d).

(** and at the end, 1, 2, 4, ..., 2^d. *)
Fixpoint powers (n : nat) : vector :=
  match n with
  | O => []
  | S n => 1 :: scale 2 (powers n)
  end.
Definition goal (d : nat) : vector := powers (S d).

(** How many updates lead from one to the other; the division leaves no rest. *)
Definition total (d : nat) : Z := (4 ^ Z.of_nat (S d) - 1) / 3.

(** Weight k, and the sum of the k weights before it *)
Definition entry (k : nat) (w : vector) : Z := nth k w 0.
Fixpoint before (k : nat) (w : vector) : Z :=
  match k with
  | O => 0
  | S k => before k w + entry k w
  end.

(** ** Entries of vectors *)

Lemma entry_add k u v : entry k (add u v) = entry k u + entry k v.
Proof.
  unfold entry. revert u v; induction k as [|k IH]; intros [|a u] [|b v]; simpl; try lia; auto.
Qed.

Lemma entry_scale k a u : entry k (scale a u) = a * entry k u.
Proof.
  unfold entry. revert u; induction k as [|k IH]; intros [|b u]; simpl; try lia. apply IH.
Qed.

Lemma length_scale a u : length (scale a u) = length u.
Proof. induction u; simpl; congruence. Qed.

Lemma length_add u v : length u = length v -> length (add u v) = length u.
Proof.
  revert v; induction u as [|a u IH]; intros [|b v] L; try discriminate; [reflexivity|].
  simpl. f_equal. apply IH. injection L as L. exact L.
Qed.

Lemma entry_nil k : entry k [] = 0.
Proof. destruct k; reflexivity. Qed.

Lemma before_nil k : before k [] = 0.
Proof. induction k as [|k IH]; simpl; rewrite ?entry_nil; lia. Qed.

Lemma before_cons k a w : before (S k) (a :: w) = a + before k w.
Proof.
  induction k as [|k IH]; [simpl; unfold entry; simpl; lia|].
  change (before (S k) (a :: w) + entry k w = a + (before k w + entry k w)). lia.
Qed.

Lemma dot_zeros w n : dot w (repeat 0 n) = 0.
Proof. apply dot_zero. induction n; simpl; constructor; auto. Qed.

(** Where g has no negative entry, larger entries make a larger inner product with it. *)
Lemma dot_monotone g u v : Forall (Z.le 0) g -> length u = length g -> length v = length g ->
  (forall k, (k < length g)%nat -> entry k u <= entry k v) -> dot g u <= dot g v.
Proof.
  intros P. revert u v. induction P as [|c g C P IH]; intros [|a u] [|b v] U V H; try discriminate;
    simpl.
  injection U as U. injection V as V.
  assert (a <= b) by (apply (H 0%nat); simpl; lia).
  assert (dot g u <= dot g v) by (apply IH; auto; intros k K; apply (H (S k)); simpl; lia).
  nia.
Qed.

(** ** Powers of two *)

Lemma length_powers n : length (powers n) = n.
Proof. induction n; simpl; rewrite ?length_scale; congruence. Qed.

Lemma powers_nonnegative n : Forall (Z.le 0) (powers n).
Proof.
  assert (forall u, Forall (Z.le 0) u -> Forall (Z.le 0) (scale 2 u)) as D.
  { intros u P. induction P; constructor; auto; lia. }
  induction n; constructor; auto; lia.
Qed.

Lemma pow_S a k : a ^ Z.of_nat (S k) = a * a ^ Z.of_nat k.
Proof. rewrite Nat2Z.inj_succ, Z.pow_succ_r; lia. Qed.

Lemma entry_powers n k : (k < n)%nat -> entry k (powers n) = 2 ^ Z.of_nat k.
Proof.
  revert k; induction n as [|n IH]; intros k K; [lia|].
  destruct k as [|k]; [reflexivity|].
  change (entry k (scale 2 (powers n)) = 2 ^ Z.of_nat (S k)).
  rewrite entry_scale, IH, pow_S by lia. reflexivity.
Qed.

Lemma norm2_powers n : 3 * norm2 (powers n) + 1 = 4 ^ Z.of_nat n.
Proof.
  induction n as [|n IH]; [reflexivity|]. rewrite pow_S, <- IH.
  change (norm2 (powers (S n))) with (1 + norm2 (scale 2 (powers n))).
  rewrite norm2_scale. lia.
Qed.

Lemma norm2_goal d : norm2 (goal d) = total d.
Proof.
  unfold total. rewrite <- (norm2_powers (S d)). fold (goal d).
  replace (3 * norm2 (goal d) + 1 - 1) with (norm2 (goal d) * 3) by ring.
  symmetry. apply Z.div_mul. lia.
Qed.

(** ** Scores, and what a correction does *)

Lemma slow_in d s : In s (slow d) <-> exists k, (k <= d)%nat /\ s = slow_sample d k.
Proof.
  unfold slow. rewrite in_map_iff. split.
  - intros [k [E I]]. apply in_seq in I. exists k. split; [lia|auto].
  - intros [k [K E]]. exists k. split; [auto|]. apply in_seq. lia.
Qed.

Lemma slow_labelled d : labelled (slow d).
Proof. intros s I. apply slow_in in I as [[|k] [_ ->]]; simpl; auto. Qed.

(** Sample k is right exactly when its weight exceeds the sum of all weights before it. *)
Lemma score_slow d k w : signed_score w (slow_sample d k) = entry k w - before k w.
Proof.
  assert (forall j n v, dot v (repeat 1 j ++ -1 :: repeat 0 n) = before j v - entry j v) as D.
  { induction j as [|j IH]; intros n [|a v].
    - reflexivity.
    - simpl. rewrite dot_zeros. unfold entry. simpl. lia.
    - rewrite before_nil, entry_nil. reflexivity.
    - rewrite before_cons. simpl. rewrite IH. unfold entry. simpl. lia. }
  unfold signed_score. destruct k as [|k]; cbn [slow_sample x y].
  - destruct w as [|a w]; unfold entry; cbn [dot before nth]; rewrite ?dot_zeros; lia.
  - rewrite D. lia.
Qed.

(** A correction of sample k raises weight k by 1, and no other weight. *)
Lemma entry_after d k j w : (k <= d)%nat ->
  entry j (correct 1 w (slow_sample d k)) <= entry j w + (if Nat.eqb j k then 1 else 0).
Proof.
  assert (forall a m i, entry i (repeat a m) = if Nat.ltb i m then a else 0) as R.
  { intros a m i. unfold entry. revert i.
    induction m as [|m IH]; intros [|i]; try reflexivity. exact (IH i). }
  intros K. unfold correct. rewrite entry_add, entry_scale.
  enough (1 * y (slow_sample d k) * entry j (x (slow_sample d k)) <=
    (if Nat.eqb j k then 1 else 0)) by lia.
  destruct k as [|k]; cbn [slow_sample x y].
  - destruct j as [|j]; unfold entry; simpl; [lia|]. fold (entry j (repeat 0 d)).
    rewrite R. destruct (Nat.ltb j d); lia.
  - unfold entry. destruct (Nat.lt_ge_cases j (S k)) as [L|L].
    + rewrite app_nth1 by (rewrite repeat_length; lia). fold (entry j (repeat 1 (S k))).
      rewrite R. destruct (Nat.ltb_spec j (S k)), (Nat.eqb_spec j (S k)); lia.
    + rewrite app_nth2, repeat_length by (rewrite repeat_length; lia).
      destruct (j - S k)%nat as [|i] eqn:E; simpl.
      * destruct (Nat.eqb_spec j (S k)); lia.
      * fold (entry i (repeat 0 (d - S k))). rewrite R.
        destruct (Nat.eqb_spec j (S k)), (Nat.ltb i (d - S k)); lia.
Qed.

Lemma length_after d k w : (k <= d)%nat -> length w = S d ->
  length (correct 1 w (slow_sample d k)) = S d.
Proof.
  intros K L. unfold correct. rewrite length_add; [exact L|]. rewrite length_scale, L.
  destruct k as [|k]; cbn [slow_sample x].
  - simpl. rewrite repeat_length. reflexivity.
  - rewrite app_length. cbn [length]. rewrite !repeat_length. lia.
Qed.

(** ** Floor, ceiling, clock *)

(** Margins of m or more need weights of m 2^k or more. *)
Lemma floor d w m : (forall s, In s (slow d) -> m <= signed_score w s) ->
  forall k, (k <= d)%nat -> m * 2 ^ Z.of_nat k <= entry k w.
Proof.
  intros H.
  assert (forall k, (k <= d)%nat -> m + before k w <= entry k w) as E.
  { intros k K. pose proof (H _ (proj2 (slow_in d _) (ex_intro _ k (conj K eq_refl)))) as M.
    rewrite score_slow in M. lia. }
  assert (forall k, (k <= d)%nat -> m * 2 ^ Z.of_nat k - m <= before k w) as B.
  { induction k as [|k IH]; intros K; [simpl; lia|].
    specialize (IH ltac:(lia)). specialize (E k ltac:(lia)). rewrite pow_S. cbn [before]. lia. }
  intros k K. specialize (E k K). specialize (B k K). lia.
Qed.

(** At no time is weight k above 2^k. *)
Lemma ceiling d t w : run (slow d) 1 (zeros d) t w -> forall k, entry k w <= 2 ^ Z.of_nat k.
Proof.
  intros R. induction R as [|t w s _ IH I M]; intros k.
  - assert (0 < 2 ^ Z.of_nat k) by (apply Z.pow_pos_nonneg; lia).
    unfold entry, zeros. rewrite nth_repeat. lia.
  - apply slow_in in I as [i [K ->]].
    pose proof (entry_after d i k w K) as A. destruct (Nat.eqb_spec k i) as [E|_].
    + subst k. assert (forall j, before j w <= 2 ^ Z.of_nat j - 1) as B.
      { induction j as [|j B]; [simpl; lia|]. specialize (IH j).
        rewrite pow_S. cbn [before]. lia. }
      unfold mistake in M. rewrite score_slow in M. specialize (B i). lia.
    + specialize (IH k). lia.
Qed.

(** The goal's signed scores are all 1. *)
Lemma goal_score d s : In s (slow d) -> signed_score (goal d) s = 1.
Proof.
  intros I. apply slow_in in I as [k [K ->]]. rewrite score_slow.
  assert (forall j, (j <= S d)%nat -> before j (goal d) = 2 ^ Z.of_nat j - 1) as B.
  { induction j as [|j IH]; intros J; [reflexivity|].
    cbn [before]. rewrite IH, pow_S by lia. unfold goal. rewrite entry_powers by lia. lia. }
  rewrite B by lia. unfold goal. rewrite entry_powers by lia. lia.
Qed.

(** Each update raises goal . w by exactly 1. *)
Lemma clock d t w : run (slow d) 1 (zeros d) t w -> dot (goal d) w = Z.of_nat t.
Proof.
  intros R. induction R as [|t w s _ IH I _]; [apply dot_zeros|].
  rewrite inner_after, IH, (goal_score d s I). lia.
Qed.

(** ** The theorem *)

(** A run makes at most [total d] updates, whatever it picks. It halts when it has made so many, and
    not before, and its last weights are 1, 2, 4, ..., 2^d. *)
Theorem thm_conv_slow d t w : run (slow d) 1 (zeros d) t w ->
  Z.of_nat t <= total d /\
  (Z.of_nat t = total d <-> halted (slow d) w) /\
  (halted (slow d) w -> w = goal d).
Proof.
  assert (forall t w, run (slow d) 1 (zeros d) t w -> length w = S d) as L.
  { intros t' w' R. induction R as [|t' w' s _ IH I _]; [apply repeat_length|].
    apply slow_in in I as [k [K ->]]. apply length_after; assumption. }
  assert (forall t w, run (slow d) 1 (zeros d) t w -> Z.of_nat t <= total d) as most.
  { intros t' w' R. rewrite <- (clock d t' w' R), <- norm2_goal. unfold norm2.
    apply dot_monotone; [apply powers_nonnegative| | |]; unfold goal; rewrite length_powers;
      [exact (L _ _ R)|reflexivity|].
    intros k K. rewrite entry_powers by lia. exact (ceiling d _ _ R k). }
  intros R.
  assert (halted (slow d) w -> w = goal d) as E.
  { intros H. apply nth_ext with 0 0.
    { rewrite (L _ _ R). unfold goal. rewrite length_powers. reflexivity. }
    intros k K. rewrite (L _ _ R) in K. fold (entry k w). fold (entry k (goal d)).
    unfold goal at 1. rewrite entry_powers by lia.
    pose proof (ceiling d _ _ R k).
    enough (1 * 2 ^ Z.of_nat k <= entry k w) by lia. apply (floor d); [|lia].
    intros s I. specialize (H s I). unfold mistake in H. lia. }
  split; [exact (most t w R)|]. split; [split|exact E].
  - intros T. destruct (mistake_or_not (slow d) w) as [H|[s [I M]]]; [exact H|].
    pose proof (most (S t) _ (update _ _ _ t w s R I M)). lia.
  - intros H. rewrite <- (clock d t w R), (E H). apply norm2_goal.
Qed.

(** And there is a run of so many. *)
Corollary slow_run d : run (slow d) 1 (zeros d) (Z.to_nat (total d)) (goal d).
Proof.
  assert (0 <= total d) by (rewrite <- norm2_goal; apply norm2_nonnegative).
  destruct (halts_or_goes_on (slow d) 1 (zeros d) (Z.to_nat (total d))) as [[t [w [R D]]]|[w R]];
    destruct (thm_conv_slow d _ w R) as [_ [B E]].
  - rewrite <- (proj2 B D), Nat2Z.id, <- (E D). exact R.
  - rewrite <- E; [exact R|]. apply B. lia.
Qed.

(** The best bound of the convergence theorem is d + 1 times as large: the longest sample has the
    squared length d + 1, and [total d] is the smallest squared length of weights whose signed scores
    are 1 or more, that of the last weights. *)
Theorem slow_bound d :
  (forall s, In s (slow d) -> norm2 (x s) <= Z.of_nat (S d)) /\
  (exists s, In s (slow d) /\ norm2 (x s) = Z.of_nat (S d)) /\
  (forall s, In s (slow d) -> signed_score (goal d) s = 1) /\ norm2 (goal d) = total d /\
  (forall w m, length w = S d -> 0 < m -> (forall s, In s (slow d) -> m <= signed_score w s) ->
    m * m * total d <= norm2 w).
Proof.
  assert (forall k n, norm2 (repeat 1 k ++ -1 :: repeat 0 n) = Z.of_nat (S k)) as N.
  { intros k n. unfold norm2. induction k as [|k IH]; cbn [repeat app dot].
    - rewrite dot_zeros. reflexivity.
    - rewrite IH. lia. }
  assert (forall k, norm2 (x (slow_sample d k)) = Z.of_nat (S k)) as X.
  { intros [|k]; cbn [slow_sample x]; [|apply N].
    unfold norm2. simpl. rewrite dot_zeros. reflexivity. }
  split; [|split; [|split; [|split]]].
  - intros s I. apply slow_in in I as [k [K ->]]. rewrite X. lia.
  - exists (slow_sample d d). split; [apply slow_in; exists d; auto|apply X].
  - exact (goal_score d).
  - apply norm2_goal.
  - intros w m L P H.
    assert (dot (goal d) (scale m (goal d)) <= dot (goal d) w) as G.
    { apply dot_monotone; [apply powers_nonnegative| | |]; rewrite ?length_scale; unfold goal;
        rewrite ?length_powers; auto.
      intros k K. rewrite entry_scale, entry_powers by lia. apply (floor d w m H). lia. }
    rewrite dot_scale in G. fold (norm2 (goal d)) in G. rewrite norm2_goal in G.
    pose proof (norm2_nonnegative (add (scale 1 w) (scale (- m) (goal d)))) as N0.
    rewrite norm2_combination, norm2_goal, (dot_comm w) in N0. nia.
Qed.
