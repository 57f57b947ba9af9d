package gemini

import (
	"context"
	"io"
	"sync"
	"time"
)

// A ManagedFile is a file on the server that somebody has to remove: who closes it.
type ManagedFile struct {
	File

	files *Files
	ctx   context.Context //nolint:containedctx // values only: it never ends
	mu    sync.Mutex
	gone  bool
}

// Managed uploads a file from the disk; see [Files.UploadPath]. Where that fails,
// nothing is left on the server.
func (f *Files) Managed(ctx context.Context, path string, o *UploadOptions) (*ManagedFile, error) {
	file, err := f.UploadPath(ctx, path, o)
	return f.manage(ctx, file, err)
}

// ManagedReader uploads what a reader holds; see [Files.Upload]. Where that fails,
// nothing is left on the server.
func (f *Files) ManagedReader(ctx context.Context, r io.Reader, size int64, o *UploadOptions) (*ManagedFile, error) {
	file, err := f.Upload(ctx, r, size, o)
	return f.manage(ctx, file, err)
}

func (f *Files) manage(ctx context.Context, file *File, err error) (*ManagedFile, error) {
	if file == nil {
		return nil, err
	}
	m := &ManagedFile{File: *file, files: f, ctx: context.WithoutCancel(ctx)}
	if err != nil {
		_ = m.Close() // what went wrong first is what counts
		return nil, err
	}
	return m, nil
}

// closeTimeout is how long removing a file may take.
const closeTimeout = 30 * time.Second

// Close removes the file from the server, also when the context of its upload has
// ended. It may be called again, and by several at once: the file is removed once.
// After an error it is still there, and Close tries again.
func (m *ManagedFile) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone {
		return nil
	}
	ctx, cancel := context.WithTimeout(m.ctx, closeTimeout)
	defer cancel()
	if err := m.files.Delete(ctx, m.Name); err != nil {
		return err
	}
	m.gone = true
	return nil
}
