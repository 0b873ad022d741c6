package main

import (
	"encoding/json"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type health struct {
	Status  status.Status `json:"status"`
	Message string        `json:"message"`
}

// A Kubernetes object -> {status, message}
func computeHealth(question []byte) ([]byte, error) {
	var object unstructured.Unstructured
	if err := object.UnmarshalJSON(question); err != nil {
		return nil, err
	}
	result, err := status.Compute(&object)
	if err != nil {
		return nil, err
	}
	return json.Marshal(health{Status: result.Status, Message: result.Message})
}
