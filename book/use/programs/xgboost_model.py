from sklearn.model_selection import train_test_split
from xgboost import XGBClassifier

import calibration_lessons as cl

X, y, _ = cl.book.datasets.spambase()  # 4206 e-mails
X, new_X, y, new_y = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

booster = XGBClassifier(random_state=0)
calibrated = cl.CalibratedModel(booster, cl.PlattScaling()).fit(X, y)

for name, model in {"before": booster.fit(X, y), "after": calibrated}.items():
    p = model.predict_proba(new_X)[:, 1]
    print(f"{name}: {cl.calibration_report(new_y, p, random_state=0)}")
