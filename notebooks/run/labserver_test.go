package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
)

// A cell that still runs is interrupted before the server ends, one that does not is
// left alone.
func TestInterruptKernels(t *testing.T) {
	var interrupted []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "token secret":
			w.WriteHeader(http.StatusForbidden)
		case r.Method == "POST":
			interrupted = append(interrupted, r.URL.Path)
		default:
			state := "busy"
			if len(interrupted) > 0 {
				state = "idle"
			}
			fmt.Fprintf(w, `[{"id":"a","execution_state":%q},{"id":"b","execution_state":"idle"}]`, state)
		}
	}))
	defer server.Close()
	interruptKernels(server.URL+"/api/kernels", "secret")
	if got := fmt.Sprint(interrupted); got != "[/api/kernels/a/interrupt]" {
		t.Errorf("interrupted %v", got)
	}
}

// Waiting ends when the server answers, and when it has ended without.
func TestLabServerWait(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	s := &labServer{url: server.URL, ended: make(chan error, 1)}
	if err := s.wait(t.Context()); err != nil {
		t.Errorf("a server that answers: %v", err)
	}
	server.Close()
	s.ended <- exec.ErrNotFound
	if err := s.wait(t.Context()); err == nil || !strings.Contains(err.Error(), "ended at once") {
		t.Errorf("a server that has ended: %v", err)
	}
}
