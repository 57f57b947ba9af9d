// Package sandbox runs a Python program that nobody has read, confined.
package sandbox
