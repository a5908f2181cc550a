package datasets

import "time"

// NoTime is the CSV.Time of a file whose rows have no times.
const NoTime = "-"

// CSV says how a file is written. The zero value suits a file with commas, decimal
// points and a header.
type CSV struct {
	// Comma separates the fields. Zero means ','. A blank means runs of blanks and
	// tabs, also at the ends of a line. It may be no digit, letter, quote, sign or point.
	Comma rune
	// Decimal is the decimal sign; that of Comma alone if numbers are in quotes. Zero means '.'; but a file separated by semicolons in which all points
	// may be signs between thousands, 1.234 beside 981, is then an error; where every cell of a column has one, as 1.905 and 2.981,
	// it is read as decimal and a note says so.
	Decimal rune
	// Thousands is the sign between groups of three digits. Zero means there is
	// none, and 1,234 is then no number.
	Thousands rune
	// Latin1 says that the file is written in Latin-1 or, what holds more signs, the
	// Windows code page 1252. Otherwise it is UTF-8, and text that is not is an error. A note
	// says where a file that is UTF-8 is read so.
	Latin1 bool

	// Skip is the number of lines before the header, such as a preamble of a logger.
	Skip int
	// HeaderRows is the number of rows of the header: the names and, under them, rows
	// of units or types. Zero means 1. Series.Units has the row of units, the first
	// under the names unless it holds types.
	HeaderRows int
	// Names are those of the columns of a file that has no header: one for each.
	Names []string
	// Comment is what a line of comment begins with; such lines are passed over and
	// counted. Zero means "#"; below the header a first cell that is an error of a spreadsheet, such as
	// #N/A, begins none. A text that no line begins with turns it off. If the
	// last such line before data names as many fields as the data have, it is the
	// header.
	Comment string

	// Time names the column of times, which must increase from row to row. Zero means
	// the first column if it is called date, time, datetime, timestamp, utc or so, or
	// if it holds times, joined with a column of times of day if it holds days; or
	// else columns called year, month, day, hour, minute, second; otherwise there are
	// no times. It is an error then if another column seems to hold them, unless
	// Columns asks for it as numbers. NoTime says there are none.
	Time string
	// Times names several columns that hold the times together, instead of Time: a
	// day and a time of day or an hour; or year, month, day, hour, minute, second, as
	// many as there are, or year and day of year (doy), known by such names or else
	// taken in this order. The parts are joined by blanks, TimeLayout says how to
	// read them if that is not plain.
	Times []string
	// TimeLayout is the layout of the times, as in package time, or one of the kinds
	// that have a constant here: UnixSeconds, ElapsedSeconds, DecimalYear, Quarter,
	// Week and their like. Zero means what suits the first rows, if one layout alone
	// does: the year first; a day or a month first, if the other cannot be; days and
	// hours as numbers, 20200131; quarters and weeks, 2001Q3 and 2020-W05; Unix times,
	// years and decimal years by their size. The hour 24:00 is the start of the next
	// day. A year of two digits is one of 1969 to 2068. An abbreviation of a zone must
	// be UTC, GMT or one that Location has: another names no one offset.
	TimeLayout string
	// Location is where clocks show the times that do not name their zone. Nil
	// means UTC. In a Series all times are UTC, but days and months are counted on
	// this clock. Local times do not tell apart an hour that comes twice in autumn: with rows of both
	// it is an error; where it stands once a note says which of the two was taken, and the other is missing.
	Location *time.Location
	// Step is the sampling step. Zero means the most common one; see Series.Step.
	Step time.Duration
	// Tolerance is the share of the step by which rows may be nearer or further apart
	// and still count as one step. The times are kept as they are, and the summary
	// says how many steps are off. Zero means 0.05; a negative one means none.
	Tolerance float64

	// Columns are those to read, in the order wanted. None means all but the
	// columns of times and those of Where. A header that is all numbers is refused as
	// data if there are none.
	Columns []string
	// Missing are markers of missing values, besides the empty cell, NA, NaN and
	// null, in any case and between any blanks, and errors of spreadsheets: #N/A,
	// #DIV/0!, #VALUE!. A marker that is a number stands for all ways to write it:
	// -99 is also -99.0.
	Missing []string
	// Range gives the lowest and the highest value that is possible in a column. A
	// value outside counts as missing, and Series.String says how many there are. An
	// infinity leaves an end open. Nil takes all values.
	Range map[string][2]float64
	// Where keeps the rows in which each of these columns has this text, blanks
	// trimmed. The others are passed over unread: it is the way to one series in a
	// file that stacks several; ReadGroups reads them all. Nil keeps all rows.
	Where map[string]string
	// Differences are the columns of which to read how much each value is above that
	// of the row before. Differences of whole numbers are exact, also beyond 2⁵³,
	// where float64 loses digits. The first, and one next to a missing value, is
	// missing.
	Differences []string
}
