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
  m : Z;              (* no signed score of wf is said to be below it *)
  R2 : Z;             (* nor any squared length above it *)
  limit : Z           (* no run on these samples is said to make more updates *)
}.

(** The weights after 0, 1, 2, ... updates *)
Definition weights (c : claim) : list vector := start c :: map after (updates c).

(** ** The checker *)

Inductive verdict :=
| Accepted
| Refused_sign                  (* the rate, m or R2 is not positive *)
| Refused_size                  (* not all vectors have the same number of coordinates *)
| Refused_label (n : N)         (* sample n has a label other than 1 and -1 *)
| Refused_separator (n : N)     (* sample n has a signed score below m *)
| Refused_length (n : N)        (* sample n has a squared length above R2 *)
| Refused_limit                 (* the bound is larger than what is said *)
| Refused_pick (t : N)          (* update t corrects what is no mistake, or no sample *)
| Refused_weights (t : N)       (* update t leads to other weights *)
| Refused_end (n : N)           (* sample n is still a mistake at the end *)
| Refused_count                 (* an obstruction has not one multiplier for each sample *)
| Refused_multiplier (n : N)    (* that of sample n is negative *)
| Refused_sum.                  (* all of them are 0, or the samples do not cancel *)

(** The first entry that fails a test, counted from n *)
Fixpoint first_failure {A} (test : A -> bool) (n : N) (entries : list A) : option N :=
  match entries with
  | [] => None
  | a :: entries => if test a then first_failure test (N.succ n) entries else Some n
  end.

(** [dot] and [add] would fill up the shorter vector; nobody should have to rely on that. *)
Definition same_size (vectors : list vector) : bool :=
  match vectors with
  | [] => true
  | u :: vectors => forallb (fun v => Nat.eqb (length v) (length u)) vectors
  end.

Definition has_label (s : sample) : bool := (y s =? 1) || (y s =? -1).

Fixpoint same (u v : vector) : bool :=
  match u, v with
  | a :: u, b :: v => (a =? b) && same u v
  | [], [] => true
  | _, _ => false
  end.

(** Sample n, counted from 0, if there is one. The number stays binary: a forged one may be huge. *)
Fixpoint sample_at (n : N) (data : list sample) : option sample :=
  match data with
  | [] => None
  | s :: data => if N.eqb n 0 then Some s else sample_at (N.pred n) data
  end.

(** Follow the updates from the weights w after t updates: the last weights, or what is wrong. *)
Fixpoint follow (data : list sample) (rate : Z) (w : vector) (t : N) (rows : list row)
  : vector + verdict :=
  match rows with
  | [] => inl w
  | r :: rows =>
      let t := N.succ t in
      match sample_at (pick r) data with
      | None => inr (Refused_pick t)
      | Some s =>
          if signed_score w s <=? 0 then
            if same (correct rate w s) (after r) then follow data rate (after r) t rows
            else inr (Refused_weights t)
          else inr (Refused_pick t)
      end
  end.

Definition audit (c : claim) : verdict :=
  let fails test := first_failure test 0 (samples c) in
  if negb ((0 <? rate c) && (0 <? m c) && (0 <? R2 c)) then Refused_sign else
  if negb (same_size (start c :: separator c :: map x (samples c))) then Refused_size else
  match fails has_label with Some n => Refused_label n | None =>
  match fails (fun s => m c <=? signed_score (separator c) s)
    with Some n => Refused_separator n | None =>
  match fails (fun s => norm2 (x s) <=? R2 c) with Some n => Refused_length n | None =>
  match follow (samples c) (rate c) (start c) 0 (updates c) with inr v => v | inl w =>
  match (if ended c then fails (fun s => 0 <? signed_score w s) else None)
    with Some n => Refused_end n | None =>
  if distance2 (rate c) (separator c) (m c) (R2 c) (start c)
     <? (limit c + 1) * (m c * m c * (rate c * rate c * R2 c))
  then Accepted else Refused_limit
  end end end end end.

(** ** What it accepts is true *)

Lemma first_failure_none {A} test n (entries : list A) :
  first_failure test n entries = None -> forall a, In a entries -> test a = true.
Proof.
  revert n; induction entries as [|a entries IH]; intros n; simpl; [intros _ b []|].
  destruct (test a) eqn:E; [|discriminate].
  intros F b [<-|I]; [exact E|]. exact (IH _ F b I).
Qed.

Lemma all_labelled data : first_failure has_label 0 data = None -> labelled data.
Proof.
  intros F s I. pose proof (first_failure_none _ _ _ F s I) as T. unfold has_label in T.
  rewrite orb_true_iff, !Z.eqb_eq in T. exact T.
Qed.

Lemma sample_at_in n data s : sample_at n data = Some s -> In s data.
Proof.
  revert n; induction data as [|s' data IH]; intros n; simpl; [discriminate|].
  destruct (N.eqb n 0); intros E; [injection E as <-; auto|]. right. exact (IH _ E).
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
    simpl in F. destruct (sample_at (pick r) data) as [s|] eqn:I; [|discriminate].
    destruct (signed_score w s <=? 0) eqn:M; [|discriminate].
    destruct (same (correct rate w s) (after r)) eqn:E1; [|discriminate].
    apply same_equal in E1. apply Z.leb_le in M. apply sample_at_in in I.
    rewrite <- Nat.add_succ_comm. apply (IH (N.succ n) (S t) (after r) w'); [|exact F|exact E].
    rewrite <- E1. constructor; assumption.
Qed.

Lemma follow_last data rate rows : forall n w w',
  follow data rate w n rows = inl w' -> w' = last (w :: map after rows) w.
Proof.
  induction rows as [|r rows IH]; intros n w w'; simpl.
  - intros E. injection E as <-. reflexivity.
  - destruct (sample_at (pick r) data) as [s|]; [|discriminate].
    destruct (signed_score w s <=? 0); [|discriminate].
    destruct (same (correct rate w s) (after r)); [|discriminate].
    intros F. apply IH in F. rewrite F. simpl.
    destruct (map after rows) as [|a l]; [reflexivity|].
    clear. revert a. induction l as [|b l IH]; intros a; [reflexivity|exact (IH b)].
Qed.

Lemma follow_refuses data rate rows : forall n w, follow data rate w n rows <> inr Accepted.
Proof.
  induction rows as [|r rows IH]; intros n w; simpl; [discriminate|].
  destruct (sample_at (pick r) data); [|discriminate].
  destruct (signed_score w s <=? 0); [|discriminate].
  destruct (same (correct rate w s) (after r)); [apply IH|discriminate].
Qed.

(** If the checker accepts, then
    - every sample has a label, 1 or -1;
    - wf separates the samples;
    - the weights after each update are weights that PLA can have after so many updates;
    - if the run is said to have ended, its last weights separate the samples;
    - no run on these samples from this start, whatever mistakes it picks, makes more updates
      than the limit. *)
Theorem accepted c : audit c = Accepted ->
  labelled (samples c) /\
  separates (samples c) (separator c) /\
  (forall t w, nth_error (weights c) t = Some w -> run (samples c) (rate c) (start c) t w) /\
  (ended c = true -> separates (samples c) (last (weights c) (start c))) /\
  (forall t w, run (samples c) (rate c) (start c) t w -> Z.of_nat t <= limit c).
Proof.
  unfold audit.
  destruct (0 <? rate c) eqn:Pr; [|discriminate]. apply Z.ltb_lt in Pr.
  destruct (0 <? m c) eqn:Pm; [|discriminate]. apply Z.ltb_lt in Pm.
  destruct (0 <? R2 c) eqn:PR; [|discriminate]. apply Z.ltb_lt in PR. cbn [negb andb].
  destruct (negb (same_size _)); [discriminate|].
  destruct (first_failure has_label 0 _) eqn:L; [discriminate|].
  destruct (first_failure _ 0 _) eqn:M in |- *; [discriminate|].
  destruct (first_failure _ 0 _) eqn:N in |- *; [discriminate|].
  pose proof (all_labelled _ L) as labels.
  pose proof (first_failure_none _ _ _ M) as least.
  pose proof (first_failure_none _ _ _ N) as longest.
  clear L M N. simpl in least, longest.
  destruct (follow _ _ _ _ _) as [w|v] eqn:F;
    [|intros ->; destruct (follow_refuses _ _ _ _ _ F)].
  destruct (if ended c then _ else _) eqn:E; [discriminate|].
  destruct (_ <? _) eqn:B; [|discriminate]. intros _. apply Z.ltb_lt in B.
  split; [exact labels|]. repeat split.
  - intros s I. specialize (least s I). apply Z.leb_le in least. lia.
  - intros t v H. exact (follow_runs _ _ _ _ 0%N 0 _ _ (begin _ _ _) F t v H).
  - intros D s I. rewrite D in E. pose proof (first_failure_none _ _ _ E s I) as G.
    apply Z.ltb_lt in G. rewrite (follow_last _ _ _ _ _ _ F) in G. exact G.
  - intros t v H.
    assert (Z.of_nat t * (m c * m c * (rate c * rate c * R2 c)) <=
      distance2 (rate c) (separator c) (m c) (R2 c) (start c)) as T.
    { apply (thm_conv_start (samples c)) with (w := v); try assumption.
      - intros s I. apply Z.leb_le. exact (least s I).
      - intros s I. apply Z.leb_le. exact (longest s I). }
    assert (0 < m c * m c * (rate c * rate c * R2 c)) by nia. nia.
Qed.

(** ** The same for data that nothing separates *)

Definition audit_obstruction (data : list sample) (mu : list Z) : verdict :=
  if negb (same_size (map x data)) then Refused_size else
  if negb (Nat.eqb (length mu) (length data)) then Refused_count else
  match first_failure has_label 0 data with Some n => Refused_label n | None =>
  match first_failure (Z.leb 0) 0 mu with Some n => Refused_multiplier n | None =>
  if existsb (Z.ltb 0) mu && forallb (Z.eqb 0) (combination mu data)
  then Accepted else Refused_sum
  end end.

(** If the checker accepts, every sample has a label, no weights separate the data, and PLA never
    halts on them: whatever the weights, a mistake is left, and from any start, at any rate, PLA
    can make any number of updates. *)
Theorem accepted_obstruction data mu : audit_obstruction data mu = Accepted ->
  labelled data /\
  ~ separable data /\
  (forall w, exists s, In s data /\ mistake w s) /\
  (forall rate w0 t, exists w, run data rate w0 t w).
Proof.
  unfold audit_obstruction.
  destruct (negb (same_size _)); [discriminate|].
  destruct (Nat.eqb _ _) eqn:C; [|discriminate]. apply Nat.eqb_eq in C. simpl.
  destruct (first_failure has_label 0 data) eqn:L; [discriminate|].
  destruct (first_failure _ 0 mu) eqn:P; [discriminate|].
  destruct (existsb _ mu) eqn:X; [|discriminate].
  destruct (forallb _ _) eqn:Z0; [|discriminate]. intros _.
  assert (obstruction mu data) as O.
  { split; [exact C| | |].
    - apply Forall_forall. intros a I. pose proof (first_failure_none _ _ _ P a I). lia.
    - apply existsb_exists in X as [a [I A]]. apply Exists_exists. exists a. split; [exact I|lia].
    - apply Forall_forall. intros a I. rewrite forallb_forall in Z0. specialize (Z0 a I). lia. }
  split; [exact (all_labelled _ L)|]. split; [|split].
  - intros S. apply (thm_conv_alternative data). split; [exact S|exists mu; exact O].
  - intros w. exact (mistake_is_left data mu w O).
  - intros rate w0. exact (proj2 (thm_conv_obstruction data mu rate w0 O)).
Qed.
