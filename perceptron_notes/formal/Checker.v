(** * A checker for a run of your own

    [audit] is a program: it looks at the numbers of one run, and says [Accepted] or what is wrong
    first. [accepted] is a theorem about this program: what it accepts is true. So nobody has to
    trust the programs that made the run and the numbers. *)

From Perceptron Require Export Alternative.

(** ** What is claimed *)

(** An update: which sample it corrected, counted from 0, and the weights after it. *)
Record row := Row { pick : N; after : vector }.

Record claim := Claim {
  samples : list sample;
  rate : Z;
  start : vector;
  updates : list row;
  ended : bool;       (* whether the last weights are said to make no mistake *)
  separator : vector; (* weights wf *)
  m : Z;              (* no margin of wf is said to be below it *)
  R2 : Z;             (* nor any squared length above it *)
  limit : Z           (* no run on these samples is said to make more updates *)
}.

(** The weights after 0, 1, 2, ... updates *)
Definition weights (c : claim) : list vector := start c :: map after (updates c).

(** ** The checker *)

Inductive verdict :=
| Accepted
| Refused_rate                  (* it is not positive *)
| Refused_label (n : N)         (* sample n has a label other than 1 and -1 *)
| Refused_separator (n : N)     (* sample n has a margin below m, or m is not positive *)
| Refused_length (n : N)        (* sample n is longer than R, or R is not positive *)
| Refused_limit                 (* the bound is larger than what is said *)
| Refused_pick (t : N)          (* update t corrects what is no mistake, or no sample *)
| Refused_weights (t : N)       (* update t leads to other weights *)
| Refused_end (n : N)           (* sample n is still a mistake at the end *)
| Refused_multiplier (n : N)    (* the weight of sample n in an obstruction is negative *)
| Refused_sum.                  (* the samples of an obstruction do not cancel, or all weigh 0 *)

(** The first sample that fails a test, counted from n *)
Fixpoint first_failure (test : sample -> bool) (n : N) (data : list sample) : option N :=
  match data with
  | [] => None
  | s :: data => if test s then first_failure test (N.succ n) data else Some n
  end.

Fixpoint same (u v : vector) : bool :=
  match u, v with
  | a :: u, b :: v => (a =? b) && same u v
  | [], [] => true
  | _, _ => false
  end.

(** Follow the updates from the weights w after t updates: the last weights, or what is wrong. *)
Fixpoint follow (data : list sample) (rate : Z) (w : vector) (t : N) (rows : list row)
  : vector + verdict :=
  match rows with
  | [] => inl w
  | r :: rows =>
      let t := N.succ t in
      match nth_error data (N.to_nat (pick r)) with
      | None => inr (Refused_pick t)
      | Some s =>
          if margin w s <=? 0 then
            if same (correct rate w s) (after r) then follow data rate (after r) t rows
            else inr (Refused_weights t)
          else inr (Refused_pick t)
      end
  end.

Definition audit (c : claim) : verdict :=
  let fails test := first_failure test 0 (samples c) in
  if negb (0 <? rate c) then Refused_rate else
  if negb (0 <? m c) then Refused_separator 0 else
  if negb (0 <? R2 c) then Refused_length 0 else
  match fails (fun s => (y s =? 1) || (y s =? -1)) with Some n => Refused_label n | None =>
  match fails (fun s => m c <=? margin (separator c) s) with Some n => Refused_separator n | None =>
  match fails (fun s => norm2 (x s) <=? R2 c) with Some n => Refused_length n | None =>
  match follow (samples c) (rate c) (start c) 0 (updates c) with inr v => v | inl w =>
  match (if ended c then fails (fun s => 0 <? margin w s) else None) with Some n => Refused_end n | None =>
  if distance2 (rate c) (separator c) (m c) (R2 c) (start c)
     <? (limit c + 1) * (m c * m c * (rate c * rate c * R2 c))
  then Accepted else Refused_limit
  end end end end end.

(** ** What it accepts is true *)

Lemma first_failure_none test n data :
  first_failure test n data = None -> forall s, In s data -> test s = true.
Proof.
  revert n; induction data as [|s data IH]; intros n; simpl; [intros _ s' []|].
  destruct (test s) eqn:E; [|discriminate].
  intros F s' [<-|I]; [exact E|]. exact (IH _ F s' I).
Qed.

Lemma same_equal u v : same u v = true -> u = v.
Proof.
  revert v; induction u as [|a u IH]; intros [|b v]; simpl; try reflexivity; try discriminate.
  rewrite andb_true_iff, Z.eqb_eq. intros [-> S]. f_equal. exact (IH v S).
Qed.

Lemma follow_runs data rate w0 rows : forall n t w w',
  run data rate w0 t w -> follow data rate w n rows = inl w' ->
  forall k v, nth_error (w :: map after rows) k = Some v -> run data rate w0 (t + k) v.
Proof.
  induction rows as [|r rows IH]; intros n t w w' R F k v E.
  - destruct k as [|k]; simpl in E; [|destruct k; discriminate].
    injection E as <-. rewrite Nat.add_0_r. exact R.
  - destruct k as [|k]; simpl in E.
    { injection E as <-. rewrite Nat.add_0_r. exact R. }
    simpl in F. destruct (nth_error data (N.to_nat (pick r))) as [s|] eqn:I; [|discriminate].
    destruct (margin w s <=? 0) eqn:M; [|discriminate].
    destruct (same (correct rate w s) (after r)) eqn:E1; [|discriminate].
    apply same_equal in E1. apply Z.leb_le in M. apply nth_error_In in I.
    rewrite <- Nat.add_succ_comm. apply (IH (N.succ n) (S t) (after r) w'); [|exact F|exact E].
    rewrite <- E1. constructor; assumption.
Qed.

Lemma follow_last data rate rows : forall n w w',
  follow data rate w n rows = inl w' -> w' = last (w :: map after rows) w.
Proof.
  induction rows as [|r rows IH]; intros n w w'; simpl.
  - intros E. injection E as <-. reflexivity.
  - destruct (nth_error data (N.to_nat (pick r))) as [s|]; [|discriminate].
    destruct (margin w s <=? 0); [|discriminate].
    destruct (same (correct rate w s) (after r)); [|discriminate].
    intros F. apply IH in F. rewrite F. simpl.
    destruct (map after rows) as [|a l]; [reflexivity|].
    clear. revert a. induction l as [|b l IH]; intros a; [reflexivity|exact (IH b)].
Qed.

Lemma follow_refuses data rate rows : forall n w, follow data rate w n rows <> inr Accepted.
Proof.
  induction rows as [|r rows IH]; intros n w; simpl; [discriminate|].
  destruct (nth_error data (N.to_nat (pick r))); [|discriminate].
  destruct (margin w s <=? 0); [|discriminate].
  destruct (same (correct rate w s) (after r)); [apply IH|discriminate].
Qed.

(** If the checker accepts, then
    - wf separates the samples;
    - the weights after each update are weights that PLA can have after so many updates;
    - if the run is said to have ended, its last weights separate the samples;
    - no run on these samples from this start, whatever mistakes it picks, makes more updates
      than the limit. *)
Theorem accepted c : audit c = Accepted ->
  separates (samples c) (separator c) /\
  (forall t w, nth_error (weights c) t = Some w -> run (samples c) (rate c) (start c) t w) /\
  (ended c = true -> separates (samples c) (last (weights c) (start c))) /\
  (forall t w, run (samples c) (rate c) (start c) t w -> Z.of_nat t <= limit c).
Proof.
  unfold audit.
  destruct (0 <? rate c) eqn:Pr; [|discriminate]. apply Z.ltb_lt in Pr.
  destruct (0 <? m c) eqn:Pm; [|discriminate]. apply Z.ltb_lt in Pm.
  destruct (0 <? R2 c) eqn:PR; [|discriminate]. apply Z.ltb_lt in PR. simpl.
  destruct (first_failure _ 0 _) eqn:L in |- *; [discriminate|].
  destruct (first_failure _ 0 _) eqn:M in |- *; [discriminate|].
  destruct (first_failure _ 0 _) eqn:N in |- *; [discriminate|].
  pose proof (first_failure_none _ _ _ L) as labels.
  pose proof (first_failure_none _ _ _ M) as least.
  pose proof (first_failure_none _ _ _ N) as longest.
  clear L M N. simpl in labels, least, longest.
  destruct (follow _ _ _ _ _) as [w|v] eqn:F;
    [|intros ->; destruct (follow_refuses _ _ _ _ _ F)].
  destruct (if ended c then _ else _) eqn:E; [discriminate|].
  destruct (_ <? _) eqn:B; [|discriminate]. intros _. apply Z.ltb_lt in B.
  repeat split.
  - intros s I. specialize (least s I). apply Z.leb_le in least. lia.
  - intros t v H. exact (follow_runs _ _ _ _ 0%N 0 _ _ (begin _ _ _) F t v H).
  - intros D s I. rewrite D in E. pose proof (first_failure_none _ _ _ E s I) as G.
    apply Z.ltb_lt in G. rewrite (follow_last _ _ _ _ _ _ F) in G. exact G.
  - intros t v H.
    assert (Z.of_nat t * (m c * m c * (rate c * rate c * R2 c)) <=
      distance2 (rate c) (separator c) (m c) (R2 c) (start c)) as T.
    { apply (thm_conv_start (samples c)) with (w := v); try assumption.
      - intros s I. specialize (labels s I). rewrite orb_true_iff, !Z.eqb_eq in labels. exact labels.
      - intros s I. apply Z.leb_le. exact (least s I).
      - intros s I. apply Z.leb_le. exact (longest s I). }
    assert (0 < m c * m c * (rate c * rate c * R2 c)) by nia. nia.
Qed.

(** ** The same for data that nothing separates *)

Fixpoint first_negative (n : N) (mu : list Z) : option N :=
  match mu with
  | [] => None
  | a :: mu => if 0 <=? a then first_negative (N.succ n) mu else Some n
  end.

Definition audit_obstruction (data : list sample) (mu : list Z) : verdict :=
  match first_negative 0 mu with
  | Some n => Refused_multiplier n
  | None =>
      if existsb (Z.ltb 0) (firstn (length data) mu) && forallb (Z.eqb 0) (combination mu data)
      then Accepted else Refused_sum
  end.

Lemma first_negative_none mu : forall n, first_negative n mu = None -> Forall (Z.le 0) mu.
Proof.
  induction mu as [|a mu IH]; intros n; simpl; [constructor|].
  destruct (0 <=? a) eqn:E; [|discriminate]. intros F. constructor; [lia|exact (IH _ F)].
Qed.

(** If the checker accepts, no weights separate the data, and PLA never halts on them: from any
    start, at any rate, it can make any number of updates, and a mistake is always left. *)
Theorem accepted_obstruction data mu : audit_obstruction data mu = Accepted ->
  ~ separable data /\
  (forall w, exists s, In s data /\ mistake w s) /\
  (forall rate w0 t, exists w, run data rate w0 t w).
Proof.
  intros A. assert (obstruction mu data) as O.
  { unfold audit_obstruction in A.
    destruct (first_negative 0 mu) eqn:P; [discriminate|].
    destruct (existsb _ _) eqn:X in A; [|discriminate].
    destruct (forallb _ _) eqn:Z0 in A; [|discriminate].
    split.
    - exact (first_negative_none _ _ P).
    - apply existsb_exists in X as [a [I L]]. apply Exists_exists. exists a. split; [exact I|lia].
    - apply Forall_forall. intros a I. rewrite forallb_forall in Z0. specialize (Z0 a I). lia. }
  split; [|split].
  - intros S. apply (thm_conv_alternative data). split; [exact S|exists mu; exact O].
  - intros w. exact (mistake_is_left data mu w O).
  - intros rate w0 t. exact (thm_conv_obstruction data mu rate w0 t O).
Qed.
