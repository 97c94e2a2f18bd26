// Package diversity measures how different a set of environments is.
//
// It owns the likeness of two Python sources and the Vendi score over it. It knows sources only: not what they do in
// play, nor which were admitted. It is asked once a cycle about the environments of the last cycles. The result is
// exact and the same for the same sources in the same order.
package diversity
