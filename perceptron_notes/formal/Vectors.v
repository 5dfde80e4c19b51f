(** * Vectors of whole numbers

    A vector is a list of whole numbers, and a shorter one counts as filled up with zeros.
    Every finite set of floats becomes whole after multiplication by one power of two, and
    neither the mistakes of a perceptron nor its bound depend on that factor. So whole numbers
    are enough, and nothing here is ever rounded.

    How to read this file, if you have never seen Coq: [Definition] and [Fixpoint] define
    functions, a [Lemma] or [Theorem] states something, and what stands between [Proof] and
    [Qed] makes Coq's kernel build a proof of it. The statements are for people; if Coq
    accepts the file, the proofs need not be read. *)

From Coq Require Export ZArith List Lia Bool.
Export ListNotations.
#[global] Open Scope Z_scope.

Definition vector := list Z.

(** The inner product u . v *)
Fixpoint dot (u v : vector) : Z :=
  match u, v with
  | a :: u, b :: v => a * b + dot u v
  | _, _ => 0
  end.

(** The sum u + v *)
Fixpoint add (u v : vector) : vector :=
  match u, v with
  | a :: u, b :: v => (a + b) :: add u v
  | [], v => v
  | u, [] => u
  end.

(** The multiple k u *)
Fixpoint scale (k : Z) (u : vector) : vector :=
  match u with
  | a :: u => k * a :: scale k u
  | [] => []
  end.

(** The squared length *)
Definition norm2 (u : vector) : Z := dot u u.

(** All coordinates are 0. *)
Definition zero (u : vector) : Prop := Forall (eq 0) u.

Lemma dot_nil u : dot u [] = 0.
Proof. destruct u; reflexivity. Qed.

Lemma dot_comm u v : dot u v = dot v u.
Proof. revert v; induction u as [|a u IH]; intros [|b v]; simpl; auto. rewrite IH; ring. Qed.

Lemma dot_add u v w : dot u (add v w) = dot u v + dot u w.
Proof.
  revert v w; induction u as [|a u IH]; intros v w; [reflexivity|].
  destruct v as [|b v]; [reflexivity|].
  destruct w as [|c w]; simpl; [lia|].
  rewrite IH; ring.
Qed.

Lemma dot_scale k u v : dot u (scale k v) = k * dot u v.
Proof.
  revert v; induction u as [|a u IH]; intros [|b v]; simpl; try ring.
  rewrite IH; ring.
Qed.

Lemma norm2_nonnegative u : 0 <= norm2 u.
Proof. unfold norm2; induction u as [|a u IH]; simpl; nia. Qed.

Lemma norm2_add u v : norm2 (add u v) = norm2 u + 2 * dot u v + norm2 v.
Proof.
  unfold norm2.
  rewrite dot_add, (dot_comm _ u), (dot_comm _ v), !dot_add, (dot_comm v u). ring.
Qed.

Lemma norm2_scale k u : norm2 (scale k u) = k * k * norm2 u.
Proof. unfold norm2. rewrite dot_scale, dot_comm, dot_scale. ring. Qed.

(** The squared length of p u + q v, multiplied out *)
Lemma norm2_combination p q u v :
  norm2 (add (scale p u) (scale q v)) =
  p * p * norm2 u + 2 * p * q * dot u v + q * q * norm2 v.
Proof.
  rewrite norm2_add, !norm2_scale, dot_scale, (dot_comm (scale p u)), dot_scale, (dot_comm v u).
  ring.
Qed.

Lemma dot_zero u v : zero v -> dot u v = 0.
Proof.
  intros Z; revert u; induction Z as [|b v <- Z IH]; intros [|a u]; simpl; try reflexivity.
  rewrite IH; ring.
Qed.

(** Only a vector of zeros has the length 0. *)
Lemma norm2_zero u : norm2 u = 0 -> zero u.
Proof.
  unfold norm2. induction u as [|a u IH]; simpl; intros N; [constructor|].
  pose proof (norm2_nonnegative u : 0 <= dot u u). constructor; [nia|apply IH; nia].
Qed.
