const { tell } = require('./tell.cjs')

void tell(require('@companion/sdk'))
