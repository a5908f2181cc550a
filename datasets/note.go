package datasets

// Note is something about a series that its reader should know: how its file was
// read, what was lost, or that a column can hardly be a variable.
type Note struct {
	Kind    NoteKind
	Column  string // if it is about one
	Warning bool   // it can spoil a model
	Text    string // one line
}

func (n Note) String() string {
	if n.Warning {
		return "warning: " + n.Text
	}
	return "note: " + n.Text
}

// NoteKind tells notes apart in code.
type NoteKind int

const (
	TimesRead     NoteKind = iota + 1 // how times are read whose layout the values told
	TimesJoined                       // from which columns times are joined
	Midnights                         // times written as 24:00
	Comments                          // lines of comment, or of nothing, passed over
	DigitsLost                        // whole numbers that float64 cannot hold
	Counter                           // a column that counts the rows
	Constant                          // a column that does not vary, but for rounding
	TimePart                          // a column that holds a part of the time, or all of it
	FarValue                          // a value far from all others that recurs: a marker?
	LostToGaps                        // rows missing in gaps, more than a tenth
	LostToSteps                       // neighbours that are not one step apart, more than a tenth
	LostToMissing                     // rows that lack a value, more than a tenth
	Rejected                          // lines or records that a reader passed over
	UnevenTimes                       // times without a common step
	Infinite                          // values of FromColumns that are infinite
	OnceOfTwice                       // times that come twice as the clocks go back, and stand once
	PointsDecimal                     // points that are read as decimal, and may be signs between thousands
	OtherEncoding                     // text of a file read as Latin-1 that seems to be UTF-8
)
