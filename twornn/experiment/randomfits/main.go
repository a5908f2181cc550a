// Command randomfits fits data drawn at random over the ranges in which users' data lie, faults
// among them, and counts what goes wrong: models that are worse than a simple rival without a
// word, errors that name no cure or one that does not help, fits that take long or stop late,
// and for each kind of warning how often it was right.
//
//	go run ./twornn/experiment/randomfits -n 200
//	go run ./twornn/experiment/randomfits -from 0 -n 10000 -file fits.jsonl
//	go run ./twornn/experiment/randomfits -file fits.jsonl -n 0
//	go run ./twornn/experiment/randomfits -from 50226 -n 1 -show
//
// Each seed is a case of its own, the same at any time and on any number of cores. With a file
// what was fitted before is not fitted again, so that a run may be interrupted. What each count
// means stands at verdict.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"time"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		log.Fatalf("randomfits: %v", err)
	}
}

// run does what the arguments ask for. It errs, after the table of what there is, if ctx ends before.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("randomfits", flag.ExitOnError)
	from := flags.Uint64("from", 0, "the first seed")
	n := flags.Uint64("n", 200, "how many seeds")
	file := flags.String("file", "", "where verdicts are kept, a line each")
	list := flags.Bool("list", false, "print each fit that failed")
	show := flags.Bool("show", false, "print the result of each fit, and what was weighed")
	limit := flags.Duration("limit", 30*time.Minute, "after which a fit is stopped")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q belongs to no flag; give the number of seeds as -n 200, say, and the file as -file fits.jsonl", flags.Arg(0))
	}
	known, err := read(*file)
	if err != nil {
		return err
	}
	keep, err := appender(*file)
	if err != nil {
		return err
	}
	var all []verdict
	for seed := *from; seed < *from+*n && ctx.Err() == nil; seed++ {
		v, ok := known[seed]
		if !ok {
			if v = judge(ctx, draw(seed), *limit); ctx.Err() != nil {
				break
			}
			if err := keep(v); err != nil {
				return err
			}
		}
		all = append(all, v)
		if *show {
			display(ctx, out, draw(seed), *limit)
		}
		if *list && v.Failure != "" {
			fmt.Fprintln(out, v)
		}
	}
	done := uint64(len(all))
	if *n == 0 {
		for _, v := range known {
			all = append(all, v)
		}
	}
	if _, err := fmt.Fprint(out, table(all)); err != nil {
		return err
	}
	if done < *n {
		return fmt.Errorf("interrupted after %d of %d seeds, of which the table is; -file keeps what was fitted for the next time", done, *n)
	}
	return nil
}

// display fits a case and prints the result.
func display(ctx context.Context, out io.Writer, c *sample, limit time.Duration) {
	fmt.Fprintln(out, c)
	r, err := fit(ctx, c, c.options, limit)
	if err != nil {
		fmt.Fprintln(out, err)
		return
	}
	fmt.Fprintln(out, r)
	for _, q := range r.Candidates {
		fmt.Fprintf(out, "  rank %d, L %d, %s: MSE %.4g, criterion %.5g, left out %.4g, growth %.3g, chosen %v\n", q.Rank, q.L, q.Start, q.MSE, q.Criterion, q.Validation, q.Growth, q.Chosen)
	}
}

// lineStart is what the line of a verdict begins with.
const lineStart = `{"Seed":`

// read returns the verdicts of a file by seed. What an interrupt left of a last line is skipped; a file
// with another line is refused, and what is no regular file.
func read(path string) (map[uint64]verdict, error) {
	known := map[uint64]verdict{}
	if path == "" {
		return known, nil
	}
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return known, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("-file %s is no regular file, which verdicts could be kept in; name one, or one that is to be made", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Bytes()
		if begins := min(len(line), len(lineStart)); string(line[:begins]) != lineStart[:begins] {
			return nil, fmt.Errorf("-file %s is no list of verdicts: line %d is %.40q; name another file", path, n, line)
		}
		var v verdict
		if json.Unmarshal(line, &v) == nil {
			known[v.Seed] = v
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("-file %s is no list of verdicts: %w; name another file", path, err)
	}
	return known, nil
}

// appender returns what adds a verdict to the file; nowhere if there is none.
func appender(path string) (func(verdict) error, error) {
	if path == "" {
		return func(verdict) error { return nil }, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	return func(v verdict) error {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		_, err = f.Write(append(b, '\n'))
		return err
	}, nil
}
