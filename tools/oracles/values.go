package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/chartutil"
	"github.com/go-logr/logr"
	"github.com/opencontainers/go-digest"
	"helm.sh/helm/v4/pkg/chart/common"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The data of one ConfigMap or Secret.
type source struct {
	Kind string            `json:"kind"`
	Name string            `json:"name"`
	Data map[string]string `json:"data"`
}

// A client that knows only the objects of one question.
type sources struct {
	client.Client
	known []source
}

func (s sources) dataOf(kind, name string) (map[string]string, error) {
	for _, known := range s.known {
		if known.Kind == kind && known.Name == name {
			return known.Data, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: kind}, name)
}

func (s sources) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	switch typed := object.(type) {
	case *corev1.ConfigMap:
		data, err := s.dataOf("ConfigMap", key.Name)
		typed.Data = data
		return err
	case *corev1.Secret:
		data, err := s.dataOf("Secret", key.Name)
		typed.Data = map[string][]byte{}
		for name, text := range data {
			typed.Data[name] = []byte(text)
		}
		return err
	}
	return fmt.Errorf("no such kind: %T", object)
}

type composition struct {
	Inline     common.Values          `json:"inline"`
	References []meta.ValuesReference `json:"references"`
	Sources    []source               `json:"sources"`
}

type composed struct {
	Values common.Values `json:"values"`
	Digest digest.Digest `json:"digest"`
}

// {inline, references, sources} -> {values, digest}
func composeValues(question []byte) ([]byte, error) {
	var asked composition
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	known := sources{known: asked.Sources}
	values, err := chartutil.ChartValuesFromReferences(
		context.Background(), logr.Discard(), known, "default", asked.Inline, asked.References...)
	if err != nil {
		return nil, err
	}
	return json.Marshal(composed{Values: values, Digest: chartutil.DigestValues(digest.SHA256, values)})
}

type digested struct {
	Digest digest.Digest `json:"digest"`
	Text   string        `json:"text"`
}

// A map of values, as spec.values has them -> {digest, text}: the text is what the digest is of.
func digestValues(question []byte) ([]byte, error) {
	var values common.Values
	if err := json.Unmarshal(question, &values); err != nil {
		return nil, err
	}
	var text strings.Builder
	if len(values) > 0 {
		if err := chartutil.Encode(&text, values, chartutil.SortMapSlice); err != nil {
			return nil, err
		}
	}
	return json.Marshal(digested{Digest: chartutil.DigestValues(digest.SHA256, values), Text: text.String()})
}
