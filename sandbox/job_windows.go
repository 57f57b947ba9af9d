package sandbox

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// spawn starts the worker in a job object: the system ends what is in it when
// the last handle to it goes, which is when this process ends in any way, and
// holds its memory.
func (s *single) spawn() error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("make a job object: %w", err)
	}
	s.job = os.NewFile(uintptr(job), "job")
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{JobMemoryLimit: uintptr(goSpace(s.memoryLimit))}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE |
		windows.JOB_OBJECT_LIMIT_JOB_MEMORY | windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
	info.BasicLimitInformation.ActiveProcessLimit = 1
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = s.cmd.Start()
	}
	if err == nil {
		err = s.enter(job)
	}
	if err != nil {
		s.release()
	}
	return err
}

// enter puts the worker into its job. It waits for its first line meanwhile, and
// gets none when that fails.
func (s *single) enter(job windows.Handle) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(s.cmd.Process.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, process)
		_ = windows.CloseHandle(process)
	}
	if err != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		return fmt.Errorf("put the worker into its job object: %w", err)
	}
	return nil
}

func (s *single) release() { _ = s.job.Close() }

// goSpace is how much memory a Go process may commit that has so much to use.
func goSpace(memory int64) uint64 { return 256<<20 + 2*uint64(memory) }
