package agent

// Delivery says when a message sent to a running session is seen. To an idle
// session all of them start a run. A run begins with all messages that wait and
// are not queued, or else with the first queued one alone. There is no default: ""
// is an error of Send.
type Delivery string

// The deliveries.
const (
	// Steer is seen at the next model call of this run; if the run ends first, it
	// starts the next one. A model that calls no tools has no next call: what must
	// be heard while it writes is sent with PreemptNow.
	Steer Delivery = "steer"
	// Queue is seen after this run's answer, as a run of its own.
	Queue Delivery = "queue"
	// Preempt interrupts the run at AfterTools and starts the next one, ahead of
	// what is queued. The run that it stops ends with StopInterrupted.
	Preempt Delivery = "preempt"
	// PreemptNow is Preempt without waiting: it interrupts the run at Now.
	PreemptNow Delivery = "preempt_now"
)

// preempts is where a message of this delivery interrupts the run; "" is nowhere.
func (d Delivery) preempts() SafePoint {
	switch d {
	case Preempt:
		return AfterTools
	case PreemptNow:
		return Now
	}
	return ""
}

// SafePoint is where an interrupt stops a run. The history is valid at each of
// them: every call has a result.
type SafePoint string

// The safe points, the most urgent first.
const (
	// Now cancels the model's stream, keeping the partial text, and the running
	// tools, giving them a grace to end.
	Now SafePoint = "now"
	// AfterModel waits for the model's message and runs none of its calls. While
	// tools run it is as Now.
	AfterModel SafePoint = "after_model"
	// AfterTools waits for the message and its tools.
	AfterTools SafePoint = "after_tools"
)

// urgency orders safe points; 0 is none.
func (p SafePoint) urgency() int {
	switch p {
	case Now:
		return 3
	case AfterModel:
		return 2
	case AfterTools:
		return 1
	}
	return 0
}
