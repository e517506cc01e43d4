// Loaded before Herald: its resolvers ask the name server of the test.
const dns = require('node:dns/promises');

const { Resolver } = dns;
dns.Resolver = class extends Resolver {
  constructor(options) {
    super(options);
    this.setServers([process.env.HERALD_TEST_DNS]);
  }
};
