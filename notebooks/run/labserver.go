package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// serveLab starts the server, waits until it answers, and writes its address into the
// plan. stop ends it and its kernels.
func (a *app) serveLab(ctx context.Context, t labTools, private string, plan *labPlan) (stop func(), err error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &labServer{url: "http://" + address, token: rand.Text(), ended: make(chan error, 1)}
	if s.cmd, err = a.labCommand(ctx, t, private, address, s.token); err != nil {
		return nil, err
	}
	if err := a.startLab(s); err != nil {
		return nil, err
	}
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	plan.URL = s.url + "/lab?token=" + s.token
	return s.stop, nil
}

// freeAddress returns an address of this machine on which nothing listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// labCommand is the server as for "make lab", with this repository's kernel and none of the
// user's settings. All it writes goes into private.
func (a *app) labCommand(ctx context.Context, t labTools, private, address, token string) (*exec.Cmd, error) {
	for _, dir := range []string{"tmp", "home"} {
		if err := os.MkdirAll(filepath.Join(private, dir), 0o700); err != nil {
			return nil, err
		}
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, t.python, filepath.Join(a.npmDir(), "server.py"),
		"--ServerApp.ip="+host, "--ServerApp.port="+port, "--ServerApp.port_retries=0",
		"--ServerApp.root_dir="+filepath.Join(private, "notebooks"),
		"--ServerApp.open_browser=False", "--ServerApp.allow_root=True",
		"--Lab.user_settings_dir="+filepath.Join(private, "settings"),
		"--Lab.workspaces_dir="+filepath.Join(private, "workspaces"))
	cmd.Env = append(a.jupyter.Command(ctx, private, "server").Env,
		"JUPYTER_NO_CONFIG=1", "JUPYTER_TOKEN="+token, "TMPDIR="+filepath.Join(private, "tmp"), "PYTHONDONTWRITEBYTECODE=1")
	terminate(cmd)
	return cmd, nil
}

// labServer is a Jupyter server that runs.
type labServer struct {
	cmd        *exec.Cmd
	url, token string
	ended      chan error // gets what the process ended with
}

// startLab starts the server, whose words go into server.log.
func (a *app) startLab(s *labServer) error {
	log, err := os.Create(filepath.Join(nb.Out(a.root), "lab", "server.log"))
	if err != nil {
		return err
	}
	defer log.Close() // the server has its own handle
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	go func() { s.ended <- s.cmd.Wait() }()
	return nil
}

// wait returns when the server answers. One that does not within a minute is stopped, as it
// is when ctx ends.
func (s *labServer) wait(ctx context.Context) error {
	limit := time.After(time.Minute)
	for !s.answers() {
		select {
		case err := <-s.ended:
			return fmt.Errorf("the Jupyter server ended at once: %w; see notebooks/out/lab/server.log", err)
		case <-ctx.Done():
			s.stop()
			return ctx.Err()
		case <-limit:
			s.stop()
			return errors.New("the Jupyter server did not answer within a minute; see notebooks/out/lab/server.log")
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

// answers reports whether the server answers.
func (s *labServer) answers() bool {
	r, err := http.Get(s.url + "/api")
	if err != nil {
		return false
	}
	r.Body.Close()
	return true
}

// stop ends the cells that run, and then the server, if it must be by force.
func (s *labServer) stop() {
	interruptKernels(s.url+"/api/kernels", s.token)
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(15 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
}

// interruptKernels stops the cells that still run. GoNB ends without their programs, which
// would go on for ever.
func interruptKernels(api, token string) {
	client := http.Client{Timeout: 5 * time.Second}
	call := func(method, url string, answer any) {
		r, err := http.NewRequest(method, url, nil)
		if err != nil {
			return
		}
		r.Header.Set("Authorization", "token "+token)
		if response, err := client.Do(r); err == nil {
			_ = json.NewDecoder(response.Body).Decode(answer)
			response.Body.Close()
		}
	}
	var kernels []struct {
		ID    string `json:"id"`
		State string `json:"execution_state"`
	}
	for try := 0; try < 8; try++ { // a program that does not listen is killed after five seconds
		call("GET", api, &kernels)
		busy := false
		for _, k := range kernels {
			if k.State == "busy" {
				busy = true
				call("POST", api+"/"+k.ID+"/interrupt", nil)
			}
		}
		if !busy {
			return
		}
		time.Sleep(time.Second)
	}
}
