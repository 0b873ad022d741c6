package main

import (
	"encoding/json"

	"github.com/Masterminds/semver/v3"
)

// {range, versions} -> {matches}: one boolean per version, null for what is no version.
func matchVersions(question []byte) ([]byte, error) {
	var asked struct {
		Range    string   `json:"range"`
		Versions []string `json:"versions"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	constraint, err := semver.NewConstraint(asked.Range)
	if err != nil {
		return nil, err
	}
	matches := make([]*bool, len(asked.Versions))
	for index, text := range asked.Versions {
		version, err := semver.NewVersion(text)
		if err != nil {
			continue
		}
		matched := constraint.Check(version)
		matches[index] = &matched
	}
	return json.Marshal(map[string][]*bool{"matches": matches})
}
