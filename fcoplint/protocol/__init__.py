"""What FCoP says, as data and pure functions: names, roles, stages, places, versions, fields."""
