package main

import (
	"encoding/json"
	"strings"

	"github.com/fluxcd/pkg/sourceignore"
	"github.com/fluxcd/pkg/sourceignore/gitignore"
)

// As source-controller archives a folder (SourceIgnoreFilter): patterns of .sourceignore files, those of deeper folders
// later, then those of the spec; the defaults if there are none.
func ignoreFiles(question []byte) ([]byte, error) {
	var asked struct {
		Files []struct {
			Folder []string `json:"folder"`
			Text   string   `json:"text"`
		} `json:"files"`
		Spec  *string  `json:"spec"`
		Paths []string `json:"paths"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	// Never nil: where the folder is.
	domain := []string{"tmp", "repository"}
	var patterns []gitignore.Pattern
	for _, file := range asked.Files {
		scope := append(append([]string{}, domain...), file.Folder...)
		patterns = append(patterns, sourceignore.ReadPatterns(strings.NewReader(file.Text), scope)...)
	}
	if asked.Spec != nil {
		patterns = append(patterns, sourceignore.ReadPatterns(strings.NewReader(*asked.Spec), domain)...)
	}
	matcher := sourceignore.NewDefaultMatcher(patterns, domain)
	if len(patterns) > 0 {
		matcher = sourceignore.NewMatcher(append(sourceignore.VCSPatterns(domain), patterns...))
	}
	ignored := make([]bool, len(asked.Paths))
	for index, path := range asked.Paths {
		ignored[index] = matcher.Match(append(append([]string{}, domain...), strings.Split(path, "/")...), false)
	}
	return json.Marshal(map[string][]bool{"ignored": ignored})
}
