package main

import (
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Kubernetes object -> {status, message}
func computeHealth(question []byte) (any, error) {
	var object unstructured.Unstructured
	if err := object.UnmarshalJSON(question); err != nil {
		return nil, err
	}
	result, err := status.Compute(&object)
	if err != nil {
		return nil, err
	}
	return map[string]any{"status": result.Status, "message": result.Message}, nil
}
