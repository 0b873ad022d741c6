// Oracles answers questions with the libraries that Flux and Helm themselves are built on. Tests put the same questions
// to Fairlead's TypeScript and compare. One JSON document per line in, one per line out, in the same order.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// An oracle answers one question with a JSON document. An error means that the library refused; it becomes {"error": "..."}.
type oracle func(question []byte) ([]byte, error)

var oracles = map[string]oracle{
	"values":       composeValues,
	"digest":       digestValues,
	"health":       computeHealth,
	"observed":     digestObserved,
	"substitution": substitute,
	"yaml":         readYAML,
	"versions":     matchVersions,
	"ignored":      ignoreFiles,
}

func answer(ask oracle, question []byte) ([]byte, error) {
	document, err := ask(question)
	if err != nil {
		return json.Marshal(map[string]string{"error": err.Error()})
	}
	return document, nil
}

func run(ask oracle, in io.Reader, out io.Writer) error {
	reader := bufio.NewReader(in)
	writer := bufio.NewWriter(out)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			document, err := answer(ask, line)
			if err != nil {
				return err
			}
			if _, err := writer.Write(append(document, '\n')); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return writer.Flush()
		}
		if err != nil {
			return err
		}
	}
}

func main() {
	if len(os.Args) != 2 || oracles[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: oracles values|digest|health|observed|substitution|yaml|versions|ignored, questions as JSON lines on stdin")
		os.Exit(2)
	}
	if err := run(oracles[os.Args[1]], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
