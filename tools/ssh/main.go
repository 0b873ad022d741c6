// Serves repositories over SSH with the real git, read only: ssh ADDRESS HOST_KEY AUTHORIZED_KEYS ROOT.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gliderlabs/ssh"
)

func listed(file string) ssh.PublicKeyHandler {
	return func(_ ssh.Context, shown ssh.PublicKey) bool {
		rest, err := os.ReadFile(file)
		for err == nil && len(rest) > 0 {
			var key ssh.PublicKey
			if key, _, _, rest, err = ssh.ParseAuthorizedKey(rest); err == nil && ssh.KeysEqual(key, shown) {
				return true
			}
		}
		return false
	}
}

// uploadPack runs the one command that is served, `git-upload-pack REPOSITORY`.
func uploadPack(session ssh.Session, root string) error {
	command := session.Command()
	if len(command) != 2 || command[0] != "git-upload-pack" {
		return fmt.Errorf("%q is not served", command)
	}
	repository := filepath.Join(root, filepath.Base(command[1]))
	git := exec.CommandContext(session.Context(), "git", "upload-pack", "--strict", repository)
	isVersion := func(pair string) bool { return strings.HasPrefix(pair, "GIT_PROTOCOL=") }
	if index := slices.IndexFunc(session.Environ(), isVersion); index >= 0 {
		git.Env = append(os.Environ(), session.Environ()[index])
	}
	git.Stdout, git.Stderr = session, session.Stderr()
	// Not as git.Stdin: the client may keep it open when git has ended.
	input, err := git.StdinPipe()
	if err != nil {
		return err
	}
	if err := git.Start(); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(input, session)
		_ = input.Close()
	}()
	return git.Wait()
}

func main() {
	address, hostKey, keys, root := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	handler := func(session ssh.Session) {
		if err := uploadPack(session, root); err != nil {
			fmt.Fprintln(session.Stderr(), err)
			_ = session.Exit(128)
		}
	}
	server := &ssh.Server{Handler: handler, PublicKeyHandler: listed(keys)}
	if err := server.SetOption(ssh.HostKeyFile(hostKey)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	log.Fatal(server.Serve(listener))
}
