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
	"log"
	"os"
	"os/signal"
	"time"
)

func main() {
	log.SetFlags(0)
	from := flag.Uint64("from", 0, "the first seed")
	n := flag.Uint64("n", 200, "how many seeds")
	file := flag.String("file", "", "where verdicts are kept, a line each")
	list := flag.Bool("list", false, "print each fit that failed")
	show := flag.Bool("show", false, "print the result of each fit, and what was weighed")
	limit := flag.Duration("limit", 30*time.Minute, "after which a fit is stopped")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	known, err := read(*file)
	if err != nil {
		log.Fatal(err)
	}
	keep, err := appender(*file)
	if err != nil {
		log.Fatal(err)
	}
	var all []verdict
	for seed := *from; seed < *from+*n && ctx.Err() == nil; seed++ {
		v, ok := known[seed]
		if !ok {
			if v = judge(ctx, draw(seed), *limit); ctx.Err() != nil {
				break
			}
			if err := keep(v); err != nil {
				log.Fatal(err)
			}
		}
		all = append(all, v)
		if *show {
			display(ctx, draw(seed), *limit)
		}
		if *list && v.Failure != "" {
			fmt.Println(v)
		}
	}
	if *n == 0 {
		for _, v := range known {
			all = append(all, v)
		}
	}
	fmt.Print(table(all))
}

// display fits a case and prints the result.
func display(ctx context.Context, c *sample, limit time.Duration) {
	fmt.Println(c)
	r, err := fit(ctx, c, c.options, limit)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r)
	for _, q := range r.Candidates {
		fmt.Printf("  rank %d, L %d, %s: MSE %.4g, criterion %.5g, left out %.4g, growth %.3g, chosen %v\n", q.Rank, q.L, q.Start, q.MSE, q.Criterion, q.Validation, q.Growth, q.Chosen)
	}
}

// read returns the verdicts of a file by seed. What an interrupt left of a last line is skipped.
func read(path string) (map[uint64]verdict, error) {
	known := map[uint64]verdict{}
	f, err := os.Open(path)
	if path == "" || os.IsNotExist(err) {
		return known, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var v verdict
		if json.Unmarshal(lines.Bytes(), &v) == nil {
			known[v.Seed] = v
		}
	}
	return known, lines.Err()
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
