#!/bin/sh
# Print success, failed or running for the Job $1. A server that does not answer for a moment does not end the run.
state=$(kubectl get job "$1" --ignore-not-found --output 'jsonpath=found {range .status.conditions[*]}{.type} {end}') ||
  state="found"
case "$state" in
  *Complete*) echo success ;;
  *Failed* | "") echo failed ;; # a Job that is gone was deleted by somebody
  *) echo running ;;
esac
