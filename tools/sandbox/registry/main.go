// The CNCF distribution registry without the storage of cloud providers, which is most of what it takes to compile.
package main

import (
	"os"

	"github.com/distribution/distribution/v3/registry"
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	_ "github.com/distribution/distribution/v3/registry/auth/token"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/middleware/redirect"
)

func main() {
	if registry.RootCmd.Execute() != nil {
		os.Exit(1)
	}
}
