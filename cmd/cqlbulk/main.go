package main
import (_ "github.com/gocql/gocql"; _ "github.com/spf13/cobra"; _ "github.com/spf13/viper"; _ "golang.org/x/time/rate"; _ "github.com/stretchr/testify/require"; _ "golang.org/x/term"; _ "golang.org/x/sync/errgroup"; _ "github.com/cheggaaa/pb/v3"; _ "github.com/rogpeppe/go-internal/testscript"; _ "go.uber.org/goleak")
func main(){}
