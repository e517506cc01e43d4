const { readFileSync } = require('node:fs');

/** Prints the CPU seconds of the run, and a last line that scripts can parse: `N passed, N failed`. */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    // A file that fails to load has no tests; it counts as one failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    // By then the workers and servers have ended.
    process.once('exit', () => {
      const seconds = cpuSeconds();
      if (seconds !== null) process.stdout.write(`${seconds.toFixed(0)} s of CPU\n`);
      process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`);
    });
  }
};

/** The CPU time of this process and its ended descendants; null on systems without `/proc`. */
function cpuSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    // utime, stime, cutime and cstime of proc(5), in hundredths of a second.
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    return null;
  }
}
