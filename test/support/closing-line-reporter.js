/** Prints a last line that scripts can parse: `N passed, N failed`. */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    // A file that fails to load has no tests; it counts as one failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    process.once('exit', () => process.stdout.write(`${results.numPassedTests} passed, ${failed} failed\n`));
  }
};
