//go:build integration

package integration

import (
	"os"
	command "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVendorFile loads a file of a vendor that is not quite a CSV, by three commands: what doctor
// suggests, that command in a shell, and a count. Every value is as it was meant.
func TestVendorFile(t *testing.T) {
	t.Parallel()
	table(
		t,
		"it1.vendor",
		`(order_id int, line int, customer text, ordered_at timestamp, ship_date date, amount decimal,
		active boolean, warehouse int, PRIMARY KEY (order_id, line))`,
	)
	path := file(t, "vendor.csv", "\ufeff# Export from vendor \"X\n# 4 rows; all of 2024\n"+
		"Order ID;Line ;CUSTOMER;Ordered At;ship date;Amount;Active?;Warehouse;Remark;\n"+
		"1;1;Zoë;3/14/2024 1:05 PM;3/15/2024;1.234,56;yes;7;gift;\n"+
		"1;2;\"Smith; Co\";3/14/2024 12:00 AM;NA;12,5;no;NA;;\n"+
		"# 2 more\n"+
		"2;1;Ada;12/31/2023 11:59 PM;1/2/2024;-1.000.000,00;yes;12;\"a \"\"b\"\"\";\n"+
		"3;1;;3/1/2024 9:30 AM;3/4/2024;0,99;NA;1;late;\n")

	suggested := ok(t, "doctor", "it1.vendor", path, "--suggest", "--hosts", testHosts())
	require.Equal(t, 1, strings.Count(suggested.out, "\n"), "it is one line, and nothing else")
	require.Contains(t, suggested.report, "left out, since no column has such a name: Remark")

	built, err := program()
	require.NoError(t, err)
	bin := t.TempDir()
	require.NoError(t, os.Symlink(built, filepath.Join(bin, "cqlbulk")))
	shell := command.CommandContext(t.Context(), "sh", "-c", suggested.out)
	shell.Env, shell.Dir = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH")), t.TempDir()
	loaded, err := shell.CombinedOutput()
	require.NoError(t, err, string(loaded))
	require.Contains(t, string(loaded), "4 rows into it1.vendor, 4 read, 0 rejected")

	require.Equal(t, "4\n", ok(t, "count", "it1.vendor").out)
	lines := strings.Split(strings.TrimSpace(ok(t, "scan", "it1.vendor").out), "\n")
	require.ElementsMatch(t, []string{
		"order_id,line,active,amount,customer,ordered_at,ship_date,warehouse",
		"1,1,true,1234.56,Zoë,2024-03-14T13:05:00Z,2024-03-15,7",
		"1,2,false,12.5,Smith; Co,2024-03-14T00:00:00Z,,",
		"2,1,true,-1000000.00,Ada,2023-12-31T23:59:00Z,2024-01-02,12",
		"3,1,,0.99,,2024-03-01T09:30:00Z,2024-03-04,1",
	}, lines)
}
