package words

import "sync"

// each calls do(0), …, do(n−1) on two goroutines; the calls must not touch each other.
func each(n int, do func(k int)) {
	var wg sync.WaitGroup
	const g = 2
	for j := range g {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := j; k < n; k += g {
				do(k)
			}
		}()
	}
	wg.Wait()
}
