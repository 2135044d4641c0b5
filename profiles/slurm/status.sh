#!/bin/sh
# Print success, failed or running for the job $1. Slurm's controller knows a job for minutes after its end, also without
# accounting; one that does not answer for a moment does not end the run.
case "$(scontrol --oneliner show job "$1" 2>&1)" in
  *JobState=COMPLETED\ *) echo success ;;
  *JobState=BOOT_FAIL* | *JobState=CANCELLED* | *JobState=DEADLINE* | *JobState=FAILED*) echo failed ;;
  *JobState=NODE_FAIL* | *JobState=OUT_OF_MEMORY* | *JobState=PREEMPTED* | *JobState=TIMEOUT*) echo failed ;;
  *"Invalid job id"*) echo failed ;; # nobody knows it any more
  *) echo running ;;
esac
