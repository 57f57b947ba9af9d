package archives

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/helios-go/helios/helioai/places"
)

// The environment variables of an AMDA account.
const (
	AMDAUser     = "HELIOAI_AMDA_USER"
	AMDAPassword = "HELIOAI_AMDA_PASSWORD" //nolint:gosec // the name of a variable
)

// AccountFile is where an AMDA account may be kept, for its owner's eyes only:
// {"user": "...", "password": "..."}.
func AccountFile(home *places.Home) string { return filepath.Join(home.Root(), "amda.json") }

// amdaAccount returns the user's AMDA account, from the environment or else from
// the file; both empty where there is none. No error holds what is secret.
func amdaAccount(home *places.Home, env func(string) string) (user, password string, err error) {
	if env == nil {
		env = os.Getenv
	}
	user, password = env(AMDAUser), env(AMDAPassword)
	switch {
	case user != "" && password != "":
		return user, password, nil
	case user != "" || password != "":
		return "", "", fmt.Errorf("only one of %s and %s is set; set both, or none", AMDAUser, AMDAPassword)
	}
	path := AccountFile(home)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("read the AMDA account: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", "", fmt.Errorf("the AMDA account in %s can be read by others; make it yours alone: chmod 600 %s", path, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", fmt.Errorf("read the AMDA account: %w", err)
	}
	var account struct{ User, Password string }
	if json.Unmarshal(data, &account) != nil || account.User == "" || account.Password == "" {
		return "", "", fmt.Errorf("the AMDA account in %s is not of the form {\"user\": \"...\", \"password\": \"...\"}", path)
	}
	return account.User, account.Password, nil
}
