// Package sample reads the first rows of an input as a load would ([Of]). Its facts are for package
// doctor: rejected rows, dates, numbers, words for null, the order of the fields. [Peek] reads the
// first text of a pipe, and loses none of it.
package sample
