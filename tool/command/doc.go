// Package command turns one program of the host into a tool.
//
//	git, err := command.New(command.Grant{
//		Program: "git",
//		Doc:     "Look at the history of the repository.",
//		Dir:     "/srv/repository",
//		Check: func(args []string) error {
//			if len(args) == 0 || args[0] != "log" && args[0] != "show" {
//				return errors.New("only git log and git show are granted")
//			}
//			return nil
//		},
//	})
//
// The program is found once, when the tool is made, and started without a shell,
// with arguments as the model gave them, an environment that holds what was
// granted and nothing of the host's, and in a folder of its own that is removed
// afterwards. It has a time limit, after which it and all that it started is
// ended; cancelling the call's context does the same. Of each output stream a
// bounded part is kept, whatever the program writes. Secrets that the registry
// knows are refused in arguments and redacted in output, before it is cut.
//
// A grant is as strong as its Check, and the program runs as the user who runs
// the host: many programs can be talked into running others (git -c, tar
// --to-command, find -exec). Code that cannot be trusted belongs in a sandbox.
//
// On Linux a program that uses this package calls sandbox.Init first in main, or
// a descendant that leaves its session can get away.
package command
