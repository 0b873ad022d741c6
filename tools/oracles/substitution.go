package main

import (
	"encoding/json"

	"github.com/fluxcd/pkg/envsubst"
)

// {text, variables} -> {text}: strict, as the controller substitutes.
func substitute(question []byte) ([]byte, error) {
	var asked struct {
		Text      string            `json:"text"`
		Variables map[string]string `json:"variables"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	text, err := envsubst.Eval(asked.Text, func(name string) (string, bool) {
		value, known := asked.Variables[name]
		return value, known
	})
	if err != nil {
		return nil, err
	}
	// Bytes, because a function may cut a character in two.
	return json.Marshal(map[string][]byte{"text": []byte(text)})
}
