package driver

import (
	"context"
	"errors"
	"strings"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Rights is what the user may do with a table, as the cluster reports it.
type Rights struct {
	Open    bool     // every user may do everything: names or rights are not checked
	Super   bool     // the user may do everything
	Granted []string // permissions on the table, or on what contains it, such as SELECT
}

// Rights asks what the user who is logged in may do with a table. Every role may list its own
// permissions. The error is that the cluster does not report them.
func (s *Session) Rights(ctx context.Context, keyspace, table string) (Rights, error) {
	if s.cfg.AWS != nil {
		return Rights{}, errors.New("AWS does not report the rights of its identities by CQL")
	}
	if s.cfg.User == "" {
		return Rights{Open: true}, nil // otherwise there would be no session
	}
	role := cqltype.QuoteIdent(s.cfg.User)
	var r Rights
	err := s.list(ctx, "LIST ROLES OF "+role, func(row map[string]any) {
		if super, ok := row["super"].(bool); ok && super { // of a granted role, too
			r.Super = true
		}
	})
	if err == nil && !r.Super {
		err = s.list(
			ctx,
			"LIST ALL PERMISSIONS ON TABLE "+cqltype.QuoteIdent(
				keyspace,
			)+"."+cqltype.QuoteIdent(
				table,
			)+" OF "+role,
			func(row map[string]any) {
				if permission, ok := row["permission"].(string); ok {
					r.Granted = append(r.Granted, strings.ToUpper(permission))
				}
			},
		)
	}
	if isOpen(err) {
		return Rights{Open: true}, nil
	}
	return r, err
}

// isOpen recognizes, by their texts, the answers of a cluster without authentication or
// authorization.
func isOpen(err error) bool {
	return err != nil &&
		(strings.Contains(err.Error(), "have to be logged in and not anonymous") || strings.Contains(err.Error(), "not supported by AllowAllAuthorizer"))
}

// list returns the rows of a LIST statement, by the names of their columns.
func (s *Session) list(ctx context.Context, stmt string, f func(row map[string]any)) error {
	iter := s.s.Query(stmt).WithContext(ctx).Idempotent(true).Consistency(gocql.LocalOne).Iter()
	for row := make(map[string]any); iter.MapScan(row); row = make(map[string]any) {
		f(row)
	}
	return classify(ctx, iter.Close())
}

// Unavailable reports whether an error is a node's answer that too few replicas for the consistency
// level are up, or answered in time. A node waits for replicas that died until gossip reports them.
func Unavailable(err error) bool {
	var request responseError
	return errors.As(err, &request) &&
		(request.GetCode() == gocql.ErrCodeUnavailable ||
			request.GetCode() == gocql.ErrCodeReadTimeout)
}

// Unauthorized reports whether an error says that the user lacks a right.
func Unauthorized(err error) bool {
	var request responseError
	return errors.As(err, &request) && request.GetCode() == gocql.ErrCodeUnauthorized
}
