package main

import (
	"encoding/json"

	"sigs.k8s.io/yaml"
)

// {text} -> {value}: a YAML text as helm, kubectl and Flux read it.
func readYAML(question []byte) ([]byte, error) {
	var asked struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	value, err := yaml.YAMLToJSON([]byte(asked.Text))
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]json.RawMessage{"value": value})
}
