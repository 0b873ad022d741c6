package main

import (
	"encoding/json"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/opencontainers/go-digest"
)

type observed struct {
	PostRenderers  string `json:"postRenderers"`
	CommonMetadata string `json:"commonMetadata"`
}

// As helm-controller does it: the digest of what Go's encoder writes of the value.
func digestOf(value any) (string, error) {
	digester := digest.Canonical.Digester()
	if err := json.NewEncoder(digester.Hash()).Encode(value); err != nil {
		return "", err
	}
	return digester.Digest().String(), nil
}

// The spec of a HelmRelease -> the digests that its status has of postRenderers and commonMetadata; empty without them.
func digestObserved(question []byte) ([]byte, error) {
	var spec v2.HelmReleaseSpec
	if err := json.Unmarshal(question, &spec); err != nil {
		return nil, err
	}
	var answer observed
	var err error
	if spec.PostRenderers != nil {
		if answer.PostRenderers, err = digestOf(spec.PostRenderers); err != nil {
			return nil, err
		}
	}
	if spec.CommonMetadata != nil {
		if answer.CommonMetadata, err = digestOf(spec.CommonMetadata); err != nil {
			return nil, err
		}
	}
	return json.Marshal(answer)
}
