package agent

import "slices"

// once knows the messages that were sent with a key. Nil knows none.
type once struct {
	keys  map[string]Seq // the first message of each key
	again []Seq          // later ones with the same key, that nobody has dropped yet
}

// first is the message that counts for a key, 0 for none.
func (o *once) first(key string) Seq {
	if o == nil {
		return 0
	}
	return o.keys[key]
}

// add notes a message, and reports whether it is the first one of its key.
func (o *once) add(key string, seq Seq) bool {
	if o.keys == nil {
		o.keys = make(map[string]Seq)
	}
	if _, known := o.keys[key]; known {
		o.again = append(o.again, seq)
		return false
	}
	o.keys[key] = seq
	return true
}

// repeats are the messages that are there twice.
func (o *once) repeats() []Seq {
	if o == nil {
		return nil
	}
	return o.again
}

// drop forgets a message that is there twice.
func (o *once) drop(seq Seq) {
	if o != nil {
		o.again = slices.DeleteFunc(o.again, func(s Seq) bool { return s == seq })
	}
}
