/** Workers inherit the environment: all test files of a run find the same world by the pid of jest itself. */
module.exports = () => {
  process.env.FAIRLEAD_TEST_RUN = String(process.pid);
};
